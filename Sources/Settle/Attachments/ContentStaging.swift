import Foundation
import SettleDocuments
import SettleStorage

/// Content on its way into the store: a commit for every few megabytes of it.
struct ContentStaging {
    let number: UInt64
    private let store: Store

    /// How many chunks go into one transaction.
    private static let chunksAtOnce = 64

    init(to store: Store) async throws {
        self.store = store
        number = try await DatabaseError.translating {
            try await store.write { try $0.beginUpload() }
        }
    }

    /// Stores everything that comes; on failure nothing is left.
    ///
    /// - Parameters:
    ///   - chunks: The content.
    ///   - expected: The digest that it must have; nil for any.
    ///   - expectedLength: The length that it must have; nil for any.
    /// - Returns: Its digest and length.
    /// - Throws: What `chunks` throws; ``DatabaseError`` when digest or length is another, or the store
    ///   cannot take it.
    func take<Source: AsyncSequence>(
        _ chunks: Source, expecting expected: ContentDigest?, length expectedLength: Int? = nil
    ) async throws -> (ContentDigest, Int) where Source.Element == Data {
        do {
            var hasher = ContentHasher()
            var waiting: [UInt8] = []
            var index = 0
            for try await chunk in chunks {
                try Task.checkCancellation()
                let bytes = [UInt8](chunk)
                hasher.update(bytes)
                waiting.append(contentsOf: bytes)
                if waiting.count >= Self.chunksAtOnce * StoreSnapshot.chunkLength {
                    index = try await put(&waiting, from: index, isLast: false)
                }
            }
            _ = try await put(&waiting, from: index, isLast: true)
            let (digest, length) = (hasher.digest, hasher.length)
            if let expected, expected != digest {
                throw StorageError.contentMismatch(expected: expected, found: digest)
            }
            if let expectedLength, expectedLength != length {
                throw DatabaseError(
                    .invalidAttachment,
                    "The content has \(length) bytes, and the attachment is described as "
                        + "\(expectedLength) bytes long; save its document with the right length.")
            }
            try await store.write { [number] in
                try $0.finishUpload(number, as: digest, length: length)
            }
            return (digest, length)
        } catch {
            // When even this fails, the upload ends with the others that nobody took.
            try? await end()
            throw DatabaseError.translated(error)
        }
    }

    /// Gives up the hold on the content.
    func end() async throws {
        try await DatabaseError.translating { [number] in
            _ = try await store.write { try $0.endUpload(number) }
        }
    }

    /// Stores the chunks that are full, or with `isLast` all there is, and answers the next index.
    private func put(
        _ waiting: inout [UInt8], from index: Int, isLast: Bool
    ) async throws -> Int {
        let length = StoreSnapshot.chunkLength
        var chunks: [[UInt8]] = []
        var start = 0
        while waiting.count - start >= length || (isLast && start < waiting.count) {
            let end = min(start + length, waiting.count)
            chunks.append(Array(waiting[start..<end]))
            start = end
        }
        waiting.removeFirst(start)
        guard !chunks.isEmpty else { return index }
        try await store.write { [number, chunks] transaction in
            for (offset, chunk) in chunks.enumerated() {
                try transaction.append(chunk, at: index + offset, toUpload: number)
            }
        }
        return index + chunks.count
    }
}

/// The bytes of a file in pieces.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = Data

    private let url: URL
    private static let length = 1 << 20

    /// The bytes of a file that is opened once they are asked for.
    ///
    /// - Throws: ``DatabaseError`` with `invalidFileLocation` when the URL is not that of a file.
    init(_ url: URL) throws(DatabaseError) {
        try FileLocation.check(url)
        self.url = url
    }

    func makeAsyncIterator() -> Iterator { Iterator(url) }

    struct Iterator: AsyncIteratorProtocol {
        private let url: URL
        private var file: FileHandle?

        init(_ url: URL) {
            self.url = url
        }

        mutating func next() async throws -> Data? {
            do {
                let file = try file ?? FileHandle(forReadingFrom: url)
                self.file = file
                guard let piece = try file.read(upToCount: FileChunks.length), !piece.isEmpty
                else {
                    try file.close()
                    return nil
                }
                return piece
            } catch {
                throw DatabaseError(
                    .inputOutput,
                    "The file '\(url.path)' cannot be read: \(error.localizedDescription)",
                    cause: error)
            }
        }
    }
}
