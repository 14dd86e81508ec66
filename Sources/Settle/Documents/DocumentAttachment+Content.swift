public import Foundation
import SettleDocuments
import SettleStorage

extension DocumentAttachment {
    /// True when the content is here, and not only its description.
    ///
    /// - Throws: ``DatabaseError`` when the database is closed or cannot be read.
    public var isContentAvailable: Bool {
        get throws {
            switch content {
            case .memory: true
            case .stored(let record, let store, _), .described(let record, let store):
                try store.map { store in
                    try Self.read(store) { try $0.hasContent(record.digest) }
                } ?? false
            }
        }
    }

    /// The content as a whole.
    ///
    /// For content that is small beside the memory; ``chunks`` takes any.
    ///
    /// - Throws: ``DatabaseError`` with `attachmentNotAvailable` when the content is not here: it was
    ///   described only, no document attaches it any more, or it is asked for in a map function,
    ///   which gets documents without their content; `corrupted` when what is stored does not have
    ///   the digest; `databaseClosed`.
    public func data() throws -> Data {
        switch content {
        case .memory(let data):
            return data
        case .stored(let record, let store?, _), .described(let record, let store?):
            return try Self.read(store) { Data(try $0.content(record.digest)) }
        case .stored, .described:
            throw notAvailable
        }
    }

    /// The content, chunk by chunk, in constant memory.
    ///
    /// Each chunk is read in a snapshot of its own, so a slow reader holds nothing up. The digest is
    /// verified over all of it: when it is not the one stored, the sequence throws at the end, in
    /// place of its end. Throws as ``data()``, also when the content goes while it is read.
    public var chunks: Chunks { Chunks(self, from: 0) }

    /// The content from a place on, chunk by chunk, in constant memory.
    ///
    /// What stands before the place is not read. The digest is verified from 0 only, where this is
    /// ``chunks``.
    ///
    /// - Parameter offset: The first byte to give; behind the end there is nothing.
    /// - Returns: The chunks, the first of which may be shorter.
    public func chunks(from offset: Int) -> Chunks { Chunks(self, from: max(0, offset)) }

    /// Writes the content to a file, in constant memory.
    ///
    /// - Parameter url: A file; one that is there is replaced, once all of the content is written
    ///   beside it.
    /// - Throws: As ``data()``; ``DatabaseError`` with `invalidFileLocation`, `permissionDenied`,
    ///   `diskFull`, or `inputOutput` when the file cannot be written.
    public func write(to url: URL) async throws {
        let file = try ReplacedFile(url)
        do {
            for try await chunk in chunks { try file.write([UInt8](chunk)) }
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Runs the body with a snapshot of the store.
    private static func read<Value>(
        _ store: Store, _ body: (StoreSnapshot) throws -> Value
    ) throws -> Value {
        try DatabaseError.translating { try store.read("attachment", body) }
    }

    var notAvailable: DatabaseError {
        DatabaseError(
            .attachmentNotAvailable,
            "The content of the attachment '\(name)' is not in the database. It was never "
                + "provided, or no document attaches it any more.")
    }

    /// The content of an attachment, chunk by chunk; see ``DocumentAttachment/chunks``.
    public struct Chunks: AsyncSequence, Sendable {
        /// A chunk: 65,520 bytes of stored content, the last one what is left.
        public typealias Element = Data

        private let attachment: DocumentAttachment
        private let offset: Int

        init(_ attachment: DocumentAttachment, from offset: Int) {
            self.attachment = attachment
            self.offset = offset
        }

        /// Starts at the beginning.
        public func makeAsyncIterator() -> Iterator { Iterator(attachment, from: offset) }

        /// Reads one chunk after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private let attachment: DocumentAttachment
            private let offset: Int
            private var index: Int
            private var hasher = ContentHasher()
            private var isOver = false

            init(_ attachment: DocumentAttachment, from offset: Int) {
                self.attachment = attachment
                self.offset = offset
                index = offset / StoreSnapshot.chunkLength
            }

            /// The next chunk; nil at the end.
            ///
            /// - Throws: As ``DocumentAttachment/data()``.
            public mutating func next() async throws -> Data? {
                guard !isOver else { return nil }
                switch attachment.content {
                case .memory(let data):
                    isOver = true
                    return offset < data.count ? data.dropFirst(offset) : nil
                case .described(_, nil), .stored(_, nil, _):
                    throw attachment.notAvailable
                case .stored(let record, let store?, _), .described(let record, let store?):
                    let chunk = try DocumentAttachment.read(store) {
                        try $0.chunk(index, of: record.digest)
                    }
                    guard let chunk else {
                        isOver = true
                        if offset == 0 { try verify(record) }
                        return nil
                    }
                    let skipped = Swift.max(0, offset - index * StoreSnapshot.chunkLength)
                    index += 1
                    if offset == 0 { hasher.update(chunk) }
                    return Data(chunk.dropFirst(skipped))
                }
            }

            private func verify(_ record: AttachmentRecord) throws {
                guard hasher.digest == record.digest else {
                    throw DatabaseError(
                        StorageError.corrupted(place: "content \(record.digest)"))
                }
            }
        }
    }
}
