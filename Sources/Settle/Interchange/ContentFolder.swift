import Foundation
import SettleDocuments

/// The files of contents beside an export, each named by its digest.
struct ContentFolder: Sendable {
    let url: URL

    private static let pieceLength = 1 << 20

    init(_ url: URL) {
        self.url = url
    }

    /// Makes the folder if it is not there.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when there is a file of this name;
    ///   `permissionDenied` and the like.
    func make() throws {
        let path = url.resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes == nil || attributes?[.type] as? FileAttributeType == .typeDirectory else {
            throw DatabaseError(
                .invalidFileLocation,
                "'\(url.path)' is a file; name a folder for the contents of attachments.")
        }
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw DatabaseError.ofFile("The folder '\(url.path)' cannot be made", error)
        }
    }

    /// The file of a content.
    func file(of digest: ContentDigest) -> URL {
        url.appendingPathComponent(digest.description, isDirectory: false)
    }

    /// True when the file of a content is there and holds it.
    ///
    /// Cost: reads the file.
    func holds(_ digest: ContentDigest) throws -> Bool {
        let file = file(of: digest)
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var hasher = ContentHasher()
            while let piece = try handle.read(upToCount: Self.pieceLength), !piece.isEmpty {
                hasher.update([UInt8](piece))
            }
            return hasher.digest == digest
        } catch {
            throw DatabaseError.ofFile("The file '\(file.path)' cannot be read", error)
        }
    }

    /// Writes the file of a content.
    func write(
        _ digest: ContentDigest, _ next: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        let file = try ReplacedFile(file(of: digest))
        do {
            try next(file.write)
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }
}
