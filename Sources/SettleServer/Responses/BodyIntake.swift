import HTTPTypes
import Hummingbird
import NIOCore
import SettlePrimitives
import Synchronization

/// Takes in the bodies of requests: the one place where a body becomes bytes in memory.
///
/// Called when it is known that the sender may do what the request asks for. All bodies together take a
/// bounded amount of memory: one for which there is no room is left on its connection until there is, or
/// refused when that takes too long.
struct BodyIntake: Sendable {
    /// The longest body, in bytes.
    let bytesMax: Int
    /// How many bytes of bodies there may be in memory.
    let memory: SharedCapacity
    /// How many bytes of bodies may be worked on at once; each takes some times its bytes.
    let work: SharedCapacity
    /// For what is done with large bodies.
    let threads: WorkThreads

    /// Up to this many bytes a body is dealt with at once, on the thread of the task, and takes nothing of
    /// the memory for bodies: how many there are is what the limit of connections says.
    static let smallBytesMax = 64 << 10

    /// Takes in a body.
    ///
    /// - Parameters:
    ///   - request: The request, whose body nobody has asked for yet.
    ///   - sender: Whose it is.
    /// - Returns: The body.
    /// - Throws: ``Problem`` 413 as soon as it is known that there are too many bytes, 408 when they come too
    ///   slowly, 503 when there is no memory for them.
    func take(_ request: Request, of sender: SenderKey) async throws -> TakenBody {
        let length = request.headers[.contentLength].flatMap(Int.init)
        if let length, length > bytesMax { throw tooLong }
        // What it unpacks to is not known, and how much comes in chunks neither.
        let room =
            request.headers[.contentEncoding] == nil ? length.map { min($0, bytesMax) } : nil
        var start = ContinuousClock.now
        var bytes: [UInt8] = []
        var lease: CapacityLease?
        for try await piece in pieces(of: request) {
            let count = bytes.count + piece.readableBytes
            guard count <= bytesMax else { throw tooLong }
            if count > Self.smallBytesMax {
                guard ContinuousClock.now - start <= Self.timeMax(for: count) else {
                    throw Self.tooSlow
                }
                if lease == nil {
                    // Room for all of it: bodies that are half there would wait for each other.
                    let waitStart = ContinuousClock.now
                    lease = try await memory.take(room ?? bytesMax, for: sender)
                    start += ContinuousClock.now - waitStart
                }
                if bytes.capacity < count {
                    bytes.reserveCapacity(min(length ?? (2 * count), 2 * count, bytesMax))
                }
            }
            bytes.append(contentsOf: piece.readableBytesView)
        }
        lease?.shrink(to: bytes.count)
        return TakenBody(bytes, lease)
    }

    /// The body as it comes from the connection, piece by piece.
    private func pieces(of request: Request) -> RequestBody { request.body }

    /// Makes something of a body: of a small one at once, of a large one on a thread of its own when there is
    /// memory to work on it.
    ///
    /// - Parameters:
    ///   - body: The body, whose bytes are let go as soon as `make` has read them.
    ///   - sender: Whose it is.
    ///   - make: What to make of its bytes.
    /// - Returns: What `make` made.
    /// - Throws: What `make` throws; ``Problem`` 503 when its turn did not come in time.
    func read<Value: Sendable>(
        _ body: TakenBody, of sender: SenderKey,
        _ make: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws -> Value {
        guard body.count > Self.smallBytesMax else { return try make(body.letGo()) }
        try await body.hold(work.take(body.count, for: sender))
        return try await threads.run(for: sender) { _ in try make(body.letGo()) }
    }

    /// How long so many bytes may be on their way: half a minute, and a second for every 16 KiB.
    private static func timeMax(for count: Int) -> Duration {
        .seconds(30) + .seconds(count / (16 << 10))
    }

    private static let tooSlow = Problem(
        .requestTimeout, "The body comes too slowly; send it again over a better connection.",
        headers: [.connection: "close"])

    private var tooLong: Problem {
        Problem(
            .contentTooLarge,
            "This server takes items of at most \(bytesMax) bytes; this one is longer, so "
                + "make attachments of its large parts.")
    }
}

/// The body of a request, and the memory that is held for it as long as somebody refers to it.
final class TakenBody: Sendable {
    /// How many bytes it has.
    let count: Int
    private let bytes: Lock<[UInt8]>
    private let leases: Lock<[CapacityLease]>

    fileprivate init(_ bytes: [UInt8], _ lease: CapacityLease?) {
        count = bytes.count
        self.bytes = Lock(bytes)
        leases = Lock(lease.map { [$0] } ?? [])
    }

    /// Gives the bytes away; there are none any more afterwards.
    fileprivate func letGo() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    fileprivate func hold(_ lease: CapacityLease) {
        leases.withLock { $0.append(lease) }
    }
}

/// The bodies that a request took in, until it is answered.
final class HeldBodies: Sendable {
    private let bodies = Lock<[TakenBody]>([])

    func add(_ body: TakenBody) {
        bodies.withLock { $0.append(body) }
    }
}
