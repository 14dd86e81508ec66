import Foundation
import Settle
import SettleTableProtocol

/// A body that is read while it comes.
struct CouchUpload: Sendable {
    /// The body.
    let chunks: any AsyncSequence<ArraySlice<UInt8>, any Error> & Sendable
    /// The longest content of an attachment, in bytes.
    let contentBytesMax: Int
    /// The longest text of a document, and the most bytes of contents that are read whole: packed, or without a name.
    let textBytesMax: Int
    /// The most bytes of all contents of a document that are in memory until it is stored.
    static let memoryBytesMax = 8 << 20

    /// A body that comes.
    init(
        _ chunks: any AsyncSequence<ArraySlice<UInt8>, any Error> & Sendable,
        contentBytesMax: Int, textBytesMax: Int
    ) {
        self.chunks = chunks
        self.contentBytesMax = contentBytesMax
        self.textBytesMax = textBytesMax
    }

    /// A body that is here.
    init(_ body: [UInt8]) {
        let chunks = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { continuation in
            continuation.yield(body[...])
            continuation.finish()
        }
        self.init(chunks, contentBytesMax: .max, textBytesMax: .max)
    }
}

/// A document whose contents follow it, read while it comes.
///
/// Contents are found by the names in their heads; without those by their MD5 or, when one is left, as it.
///
/// > Source: CouchDB's replicator sends each document with long attachments so.
struct CouchPartsReader {
    private let upload: CouchUpload
    private let body: MultipartEvents

    /// - Throws: ``CouchError`` in CouchDB's words.
    init(_ upload: CouchUpload, type: String) throws(CouchError) {
        guard let reader = MultipartReader(type: type) else {
            throw .badRequest("The multipart body has no boundary.")
        }
        self.upload = upload
        body = MultipartEvents(upload.chunks, reader)
    }

    /// The document, whose contents are still to come.
    ///
    /// - Throws: ``CouchError`` in CouchDB's words; what the body throws.
    func document() async throws -> CouchInput {
        guard try await body.nextPart() != nil else {
            throw CouchError.badRequest("The multipart body has no document.")
        }
        return try CouchInput(text: try await whole(atMost: upload.textBytesMax))
    }

    /// Takes in the contents of the document.
    ///
    /// - Parameters:
    ///   - input: The document; its attachments have their contents, also those that came before an error.
    ///   - database: Where it is to be stored.
    /// - Throws: ``CouchError`` in CouchDB's words; what the body throws; ``DatabaseError``.
    func takeContents(of input: inout CouchInput, into database: Database) async throws {
        var memoryLeft = CouchUpload.memoryBytesMax
        var wholeLeft = min(upload.textBytesMax, CouchInput.unpackedBytesMax)
        var awaited = AwaitedContents(input.attachments)
        while let headers = try await body.nextPart() {
            let name = headers["content-disposition"].flatMap {
                Multipart.parameter("filename", of: $0)
            }
            let named = try name.map { name throws(CouchError) in
                try awaited.take(named: name)
            }
            let isPacked = headers["content-encoding"] == "gzip"
            if let named, !isPacked, !input.attachments[named].isPacked {
                let attachment = input.attachments[named]
                let content = try await CouchContent(
                    taking: body, named: attachment.name, type: attachment.contentType,
                    bytesMax: upload.contentBytesMax,
                    memoryBytesMax: min(memoryLeft, CouchContent.memoryBytesMax), into: database)
                memoryLeft -= content.memoryByteCount
                input.attachments[named].content = .content(content)
                continue
            }
            let bytes = Data(try await whole(atMost: wholeLeft))
            let place = try named ?? awaited.take(CouchContent(bytes))
            let content = CouchContent(
                try CouchInput.unpacked(
                    bytes, isPacked || input.attachments[place].isPacked, bytesMax: wholeLeft))
            wholeLeft -= content.memoryByteCount
            input.attachments[place].content = .content(content)
        }
    }

    /// The rest of the part in memory.
    private func whole(atMost bytesMax: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await body.next() {
            guard bytes.count + more.count <= bytesMax else {
                throw CouchError.tooLarge
            }
            bytes += more
        }
        return bytes
    }
}

/// The attachments whose contents are still to come, by their places.
private struct AwaitedContents {
    private var places: [String: Int] = [:]
    private var names: [String: [String]] = [:]

    init(_ attachments: [CouchInput.Attachment]) {
        for (place, attachment) in attachments.enumerated() {
            guard case .follows = attachment.content else { continue }
            places[attachment.name] = place
            if let digest = attachment.digest { names[digest, default: []].append(attachment.name) }
        }
    }

    /// The one of a name, which is awaited no more.
    mutating func take(named name: String) throws(CouchError) -> Int {
        guard let place = places.removeValue(forKey: name) else { throw .foreignPart }
        return place
    }

    /// The one that a part without a name is the content of: by its MD5 or, when one is left, that one.
    mutating func take(_ content: CouchContent) throws(CouchError) -> Int {
        while let name = names[content.digest]?.popLast() {
            if let place = places.removeValue(forKey: name) { return place }
        }
        guard places.count == 1, let (_, place) = places.popFirst() else { throw .foreignPart }
        return place
    }
}

/// The parts of a body, one after the other; as a sequence it is the content of the part that it came to.
private final class MultipartEvents: AsyncSequence, AsyncIteratorProtocol {
    private var chunks: any AsyncIteratorProtocol<ArraySlice<UInt8>, any Error>
    private var reader: MultipartReader
    private var hasEnded = false

    init(
        _ chunks: any AsyncSequence<ArraySlice<UInt8>, any Error>, _ reader: MultipartReader
    ) {
        self.chunks = chunks.makeAsyncIterator()
        self.reader = reader
    }

    /// Goes to the next part.
    ///
    /// - Returns: Its header fields; nil after the last one.
    func nextPart() async throws -> [String: String]? {
        while let event = try await nextEvent() {
            if case .part(let headers) = event { return headers }
        }
        return nil
    }

    /// More of the content of the part; nil at its end.
    func next() async throws -> ArraySlice<UInt8>? {
        if case .content(let bytes)? = try await nextEvent() { return bytes }
        return nil
    }

    private func nextEvent() async throws -> MultipartReader.Event? {
        guard !hasEnded else { return nil }
        while true {
            do throws(MultipartReader.Malformed) {
                if let event = try reader.next() {
                    if event == .end { hasEnded = true }
                    return hasEnded ? nil : event
                }
            } catch {
                throw CouchError.malformedParts
            }
            guard let chunk = try await chunks.next() else { throw CouchError.malformedParts }
            reader.append(chunk)
        }
    }

    func makeAsyncIterator() -> MultipartEvents { self }
}

extension CouchError {
    fileprivate static let foreignPart = badRequest(
        "A part of the body is none of the attachments.")
    fileprivate static let malformedParts = badRequest("The multipart body is malformed.")
}
