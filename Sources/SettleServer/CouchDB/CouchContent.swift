import Crypto
import Foundation
import Settle

/// The content of an attachment as it came.
struct CouchContent: Sendable {
    private enum Place: Sendable {
        case memory(Data)
        /// In the database, where it waits for its document.
        case database(DocumentAttachment)
    }

    private let place: Place
    /// Its MD5, by which CouchDB names contents.
    let md5: [UInt8]

    /// Content in memory.
    init(_ data: Data) {
        place = .memory(data)
        md5 = Self.md5(of: data)
    }

    private init(_ attachment: DocumentAttachment, md5: [UInt8]) {
        place = .database(attachment)
        self.md5 = md5
    }

    /// How many bytes of it are in memory.
    var memoryByteCount: Int {
        if case .memory(let data) = place { data.count } else { 0 }
    }

    /// The MD5 of content, 16 bytes; it protects nothing.
    static func md5(of data: Data) -> [UInt8] { Array(Insecure.MD5.hash(data: data)) }

    /// What CouchDB calls the content.
    var digest: String { "md5-" + Data(md5).base64EncodedString() }

    /// The attachment that it is the content of.
    ///
    /// - Parameters:
    ///   - name: The name; for content in the database the one that it was taken in under.
    ///   - type: Likewise.
    /// - Returns: The attachment.
    func attachment(named name: String, type: String) -> DocumentAttachment {
        switch place {
        case .memory(let data): DocumentAttachment(name: name, contentType: type, data: data)
        case .database(let attachment): attachment
        }
    }

    /// Removes it from a database when no document has taken it.
    func discard(from database: Database) async {
        guard case .database(let attachment) = place else { return }
        // What stays is removed by the database a day later.
        try? await database.discard(attachment)
    }
}

extension CouchContent {
    /// The longest content that is kept in memory until its document is stored; longer content goes to the database.
    static let memoryBytesMax = 1 << 20

    /// Takes in content while it comes.
    ///
    /// - Parameters:
    ///   - chunks: The content.
    ///   - name: The name of its attachment.
    ///   - type: What kind of content it is.
    ///   - bytesMax: The longest content.
    ///   - memoryBytesMax: The longest that stays in memory.
    ///   - database: Where it is wanted.
    /// - Throws: ``CouchError`` 413 for a longer one, of which nothing stays; what `chunks` throws; ``DatabaseError``.
    init<Chunks: AsyncSequence>(
        taking chunks: Chunks, named name: String, type: String, bytesMax: Int,
        memoryBytesMax: Int = Self.memoryBytesMax, into database: Database
    ) async throws where Chunks.Element == ArraySlice<UInt8> {
        let counted = CountedChunks(chunks.makeAsyncIterator(), bytesMax: bytesMax, name)
        var first = Data()
        while first.count <= memoryBytesMax {
            guard let chunk = try await counted.next() else {
                self.init(first)
                return
            }
            first += chunk
        }
        counted.putBack(first)
        let attachment = try await database.storeAttachment(
            named: name, contentType: type, chunks: counted)
        self.init(attachment, md5: counted.digest)
    }
}

/// Chunks of content that are counted, and whose MD5 is worked out.
private final class CountedChunks<Base: AsyncIteratorProtocol>: AsyncSequence, AsyncIteratorProtocol
where Base.Element == ArraySlice<UInt8> {
    private var base: Base
    private var hash = Insecure.MD5()
    private var count = 0
    private var waiting: Data?
    private let bytesMax: Int
    private let name: String

    init(_ base: Base, bytesMax: Int, _ name: String) {
        self.base = base
        self.bytesMax = bytesMax
        self.name = name
    }

    /// The MD5 of what came.
    var digest: [UInt8] { Array(hash.finalize()) }

    /// Has bytes that came already come once more.
    func putBack(_ data: Data) { waiting = data }

    func next() async throws -> Data? {
        if let waiting {
            self.waiting = nil
            return waiting
        }
        guard let bytes = try await base.next() else { return nil }
        count += bytes.count
        guard count <= bytesMax else { throw CouchError(413, "attachment_too_large", name) }
        let data = Data(bytes)
        hash.update(data: data)
        return data
    }

    func makeAsyncIterator() -> CountedChunks { self }
}
