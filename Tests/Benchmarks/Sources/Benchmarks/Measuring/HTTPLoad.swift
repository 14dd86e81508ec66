import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Requests over many connections at once, on each of them one after the other.
///
/// Plain sockets and threads: the less this side takes of the machine, the more the server has.
struct HTTPLoad: Sendable {
    /// What came of a load.
    struct Result: Sendable {
        /// From the first request to the last answer.
        var seconds: Double
        /// How long each answer took, in seconds, the quickest first.
        var latencies: [Double]

        /// The latency that a share of the answers was as quick as.
        func latency(at share: Double) -> Double {
            latencies[min(latencies.count - 1, Int(share * Double(latencies.count)))]
        }
    }

    let port: Int
    let connectionCount: Int

    /// Sends requests and waits for all answers.
    ///
    /// - Parameters:
    ///   - count: How many, over all connections.
    ///   - status: What every answer must be.
    ///   - request: The bytes of a request, by its number; called on many threads.
    /// - Returns: What came of it.
    /// - Throws: ``BenchmarkError`` for another status or a broken connection.
    func run(
        _ count: Int, expecting status: Set<Int>, _ request: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> Result {
        let numbers = NumberSource(count)
        let begun = ContinuousClock.now
        let parts = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<connectionCount {
                group.addTask { try await connection(numbers, status, request) }
            }
            var parts: [Double] = []
            for try await part in group { parts += part }
            return parts
        }
        return Result(
            seconds: (ContinuousClock.now - begun) / .seconds(1), latencies: parts.sorted())
    }

    private func connection(
        _ numbers: NumberSource, _ status: Set<Int>,
        _ request: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> [Double] {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Swift.Result { try self.talk(numbers, status, request) })
            }.start()
        }
    }

    private func talk(
        _ numbers: NumberSource, _ status: Set<Int>, _ request: (Int) -> [UInt8]
    ) throws -> [Double] {
        let socket = try Loopback.connection(to: port)
        defer { Loopback.close(socket) }
        var reader = AnswerReader(socket: socket)
        var latencies: [Double] = []
        while let number = numbers.next() {
            let begun = ContinuousClock.now
            guard Loopback.send(request(number)[...], to: socket) else {
                throw BenchmarkError("The server closed a connection.")
            }
            let answer = try reader.status()
            guard status.contains(answer) else {
                throw BenchmarkError("The server answered \(answer) under load.")
            }
            latencies.append((ContinuousClock.now - begun) / .seconds(1))
        }
        return latencies
    }
}

/// Gives out numbers from 0, each once.
private final class NumberSource: Sendable {
    private let number = Atomic(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    func next() -> Int? {
        let number = self.number.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }
}

/// Reads the answers of one connection, all of which have a `Content-Length` or no body.
private struct AnswerReader {
    let socket: Int32
    private var bytes: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    init(socket: Int32) { self.socket = socket }

    /// The status of the next answer, whose body is passed over.
    mutating func status() throws -> Int {
        var end: Int?
        while end == nil {
            try receive()
            end = Self.endOfHead(bytes)
        }
        let head = String(decoding: bytes[..<(end ?? 0)], as: UTF8.self).lowercased()
        guard let status = Int(head.dropFirst(9).prefix(3)) else {
            throw BenchmarkError("The server sent something that is no answer.")
        }
        var length = 0
        if let field = head.range(of: "content-length:") {
            let value = head[field.upperBound...].prefix { !$0.isNewline }
            length = Int(value.trimmingCharacters(in: .whitespaces)) ?? 0
        }
        let total = (end ?? 0) + 4 + length
        while bytes.count < total { try receive() }
        bytes.removeFirst(total)
        return status
    }

    private mutating func receive() throws {
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { throw BenchmarkError("The server closed a connection.") }
        bytes += chunk[..<count]
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
