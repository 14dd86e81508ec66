import Foundation
import Settle

extension ImportSource {
    /// The beginning of the source, as much as tells what kind of file it is.
    ///
    /// - Throws: As ``next()``.
    func beginning() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < 4_096, !bytes.contains(UInt8(ascii: "\n")), let more = try await next()
        {
            bytes += more
        }
        return bytes
    }

    /// Writes the whole source to a file of its own, for what has to be read twice.
    ///
    /// - Parameter beginning: What was read already.
    /// - Returns: The file; whoever gets it removes it.
    /// - Throws: ``CommandFailure`` when it cannot be written; as ``next()``.
    func spooled(after beginning: [UInt8]) async throws -> URL {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("settle-import-\(UUID().uuidString).ndjson")
        do {
            // For its owner alone: it holds whole documents.
            guard
                FileManager.default.createFile(
                    atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            let file = try FileHandle(forWritingTo: url)
            defer { try? file.close() }
            try file.write(contentsOf: Data(beginning))
            while let bytes = try await next() { try file.write(contentsOf: Data(bytes)) }
            return url
        } catch {
            try? FileManager.default.removeItem(at: url)
            if error is CancellationError || error is CommandFailure { throw error }
            throw CommandFailure(
                "\(name) cannot be kept in '\(url.path)' while it is imported: "
                    + "\(error.localizedDescription)")
        }
    }
}
