import HTTPTypes
import Hummingbird
import NIOCore
import Settle
import SettlePrimitives
import Synchronization

/// The memory for answers that are not small, and what sends them.
///
/// All answers together take a bounded amount of memory: one for which there is no room waits, before the
/// items are read, or is refused when that takes too long.
struct LargeResponses: Sendable {
    /// The memory for answers, in bytes.
    let memory: SharedCapacity
    /// Where texts of large items are made.
    let threads: WorkThreads
    /// What the time of a slow reader is measured with.
    let clock: any Clock<Duration>

    /// Up to this many bytes an answer is one buffer and takes nothing of the memory for answers: how many
    /// there are is what the limit of connections says.
    static let smallBytesMax = 128 << 10

    /// About how many bytes of items a page has at most, unless it is one item alone.
    var pageBytesMax: Int { min(TableItem.answerBytesMax, memory.requestMax) }

    /// A body that is sent piece by piece, each when the connection has room for it.
    ///
    /// A reader has half a minute, and a second more for every 128 KiB; then the connection is closed, so that
    /// who does not read takes no memory from others for long.
    ///
    /// - Parameters:
    ///   - pieces: The body.
    ///   - lease: The memory that it takes, which is given back as it is sent.
    ///   - connection: Where it is sent; nil when there is no network between.
    /// - Returns: The body, with its length.
    func body(
        _ pieces: [ByteBuffer], _ lease: CapacityLease?, to connection: Connection?
    ) -> ResponseBody {
        let count = pieces.reduce(0) { $0 + $1.readableBytes }
        // From now on, and not only from the first piece on: an answer before may be in the way.
        let time = connection.map {
            ReadingTime(.seconds(30 + count / (128 << 10)), by: clock, of: $0)
        }
        let rest = Pieces(pieces)
        return ResponseBody(contentLength: count) { writer in
            defer { time?.end() }
            var left = count
            while let piece = rest.next() {
                left -= piece.readableBytes
                try await writer.write(piece)
                // The writer learns from the connection alone that there is no room for another piece.
                try await connection?.catchUp()
                lease?.shrink(to: left + Self.smallBytesMax)
            }
            try await writer.finish(nil)
        }
    }

    /// A response that is one item, with its version as `ETag`; the text of a large item is made on a thread of
    /// its own.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - dialect: The version of the protocol.
    ///   - status: The status.
    ///   - headers: Further headers.
    ///   - sender: Whose answer it is.
    ///   - connection: Where it is sent; nil when there is no network between.
    /// - Returns: The response.
    /// - Throws: ``Problem`` 503 when there is no room for the text of a large item.
    func item(
        _ item: TableItem, in dialect: TableDialect, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:], for sender: SenderKey, to connection: Connection?
    ) async throws -> Response {
        guard item.isLarge else {
            return TableResponse.item(item, in: dialect, status: status, headers: headers)
        }
        let (text, lease) = try await text(about: item.approximateSize, for: sender) { text in
            item.write(in: dialect, to: &text)
        }
        var response = TableResponse.item(
            item, in: dialect, status: status, headers: headers, text: [])
        response.body = body(text, lease, to: connection)
        return response
    }

    /// A response with a JSON body that may be large, whose text is made on a thread of its own then.
    ///
    /// - Parameters:
    ///   - size: About how many bytes the text has.
    ///   - sender: Whose answer it is.
    ///   - connection: Where it is sent; nil when there is no network between.
    ///   - write: Writes the text.
    /// - Returns: The response.
    /// - Throws: ``Problem`` 503 when there is no room for a large text.
    func json(
        about size: Int, for sender: SenderKey, to connection: Connection?,
        _ write: @escaping @Sendable (inout [UInt8]) -> Void
    ) async throws -> Response {
        guard size > Self.smallBytesMax else {
            var text: [UInt8] = []
            write(&text)
            return TableResponse.json(text: text)
        }
        let (text, lease) = try await text(about: size, for: sender, write)
        var response = TableResponse.json(text: [])
        response.body = body(text, lease, to: connection)
        return response
    }

    private func text(
        about size: Int, for sender: SenderKey,
        _ write: @escaping @Sendable (inout [UInt8]) -> Void
    ) async throws -> ([UInt8], CapacityLease) {
        // The text, and its copy for the connection.
        let lease = try await memory.take(2 * size, for: sender)
        let text = try await threads.run(for: sender) { _ in
            var text: [UInt8] = []
            text.reserveCapacity(size)
            write(&text)
            return text
        }
        return (text, lease)
    }

    /// A body of one large text.
    private func body(
        _ text: [UInt8], _ lease: CapacityLease?, to connection: Connection?
    ) -> ResponseBody {
        var buffer = ByteBuffer(bytes: text)
        var pieces: [ByteBuffer] = []
        while let piece = buffer.readSlice(length: min(Self.smallBytesMax, buffer.readableBytes)),
            piece.readableBytes > 0
        {
            pieces.append(piece)
        }
        return body(pieces, lease, to: connection)
    }
}

/// The time that a reader has for an answer; when it is over the connection is closed.
///
/// It ends too when nobody refers to it any more, as when the answer is not sent at all.
private final class ReadingTime: Sendable {
    private let task: Task<Void, any Error>

    init(_ time: Duration, by clock: any Clock<Duration>, of connection: Connection) {
        task = Task {
            try await clock.sleep(for: time)
            connection.close()
        }
    }

    deinit { end() }

    func end() { task.cancel() }
}

/// Pieces of a body, each of which is let go when it was sent.
private final class Pieces: Sendable {
    private let rest: Lock<[ByteBuffer]>

    init(_ pieces: [ByteBuffer]) {
        rest = Lock(pieces.reversed())
    }

    func next() -> ByteBuffer? { rest.withLock { $0.popLast() } }
}

/// The text of a list's items as it grows, in pieces of bounded size.
///
/// What does not fit into one piece takes from the memory for answers. When there is no room there, nothing is kept
/// from then on, and the text is only measured.
struct ItemsText: PageSink, Sendable {
    static var checksMembers: Bool { true }

    private let form: ItemForm
    private let memory: SharedCapacity
    private let sender: SenderKey
    private var pieces: [ByteBuffer] = []
    private var last: [UInt8] = []
    private(set) var lease: CapacityLease?
    /// How many bytes the whole pieces have.
    private var bytesInPieces = 0
    private var isEmpty = true
    private var isKept = true

    /// An empty text.
    ///
    /// - Parameters:
    ///   - dialect: The version of the protocol.
    ///   - selection: The names to send of each item; nil for all of them.
    ///   - memory: The memory for answers.
    ///   - sender: Whose answer it is.
    ///   - lease: Memory that is held for the text already.
    init(
        _ dialect: TableDialect, selecting selection: Set<String>? = nil, memory: SharedCapacity,
        for sender: SenderKey, lease: CapacityLease? = nil
    ) {
        form = selection.map { ItemForm(dialect.columns, selecting: $0) } ?? dialect.form
        self.memory = memory
        self.sender = sender
        self.lease = lease
    }

    /// How many bytes it has.
    var size: Int { bytesInPieces + last.count }

    /// How much room it needs when there was not enough; what is there is of no use then.
    var roomMissing: Int? { isKept ? nil : size + LargeResponses.smallBytesMax }

    /// Adds an item, whose members need not have been checked unless it is large.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when its members are damaged.
    mutating func add(_ item: TableItem) throws {
        let isWhole = form.selection == nil
        if isWhole, item.isLarge { keepRoom(for: size + item.approximateSize) }
        guard isKept || !isWhole else {
            bytesInPieces += item.approximateSize
            return
        }
        if !isEmpty { last.append(UInt8(ascii: ",")) }
        isEmpty = false
        try item.writeChecking(in: form, to: &last)
        guard last.count > LargeResponses.smallBytesMax else { return }
        bytesInPieces += last.count
        keepRoom(for: bytesInPieces)
        if isKept { pieces.append(ByteBuffer(bytes: last)) }
        last.removeAll(keepingCapacity: last.capacity <= 2 * LargeResponses.smallBytesMax)
    }

    /// Keeps room for so many bytes and a last piece; lets go of what there is when there is no room.
    private mutating func keepRoom(for bytes: Int) {
        guard isKept else { return }
        if lease == nil { lease = memory.takeNow(0, for: sender) }
        isKept = lease?.growNow(to: bytes + LargeResponses.smallBytesMax) ?? false
        if isKept { return }
        pieces = []
        lease = nil
    }

    /// The whole text between two others, and what is held for it.
    ///
    /// - Returns: One piece when it is small.
    consuming func pieces(
        after head: [UInt8], before tail: [UInt8]
    ) -> (pieces: [ByteBuffer], lease: CapacityLease?) {
        guard !pieces.isEmpty else {
            var text = head
            text.reserveCapacity(head.count + last.count + tail.count)
            text.append(contentsOf: last)
            text.append(contentsOf: tail)
            return ([ByteBuffer(bytes: text)], nil)
        }
        pieces.insert(ByteBuffer(bytes: head), at: 0)
        pieces.append(ByteBuffer(bytes: last + tail))
        lease?.shrink(to: size)
        return (pieces, lease)
    }
}
