import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Requests that would take a server's time and memory: how long a health check waits meanwhile, how long
/// another client's list does, and how much memory is resident.
enum ServeAttack: BenchmarkCase {
    static let name = "serve-attack"
    static let summary = "large bodies, costly filters, large pages and slow readers"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let size = bench.size.attack
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            return try await RunningServer.with(directory: directory, bodyMax: 20 << 20) { server in
                try await prepare(server, size.elements, pageBytes: size.pageBytes)
                var comparisons: [Comparison] = []
                for (label, attack) in [
                    ("bodies", bodies(server, size.bodyBytes)), ("filters", filters(server)),
                    ("pages", pages(server)), ("readers", readers(server, size.slowReaders)),
                ] {
                    let figures = try await ServerHealth.watch(server, during: attack)
                    comparisons += figures.comparisons(name, label)
                }
                // A second after the last large request memory is given back.
                try await Task.sleep(for: .seconds(3))
                comparisons.append(ServerHealth.memory(name, "left", of: server, limit: 300))
                return comparisons
            }
        }
    }

    private typealias Attack = @Sendable () async throws -> Void

    private static func prepare(
        _ server: RunningServer, _ elements: Int, pageBytes: Int
    ) async throws {
        let load = HTTPLoad(port: server.port, connectionCount: 1)
        let array = (0..<elements).map(String.init).joined(separator: ",")
        _ = try await load.run(1, expecting: [201]) { _ in
            Requests.send("POST", "/tables/arrays", Array("{\"id\":\"a\",\"a\":[\(array)]}".utf8))
        }
        _ = try await load.run(100, expecting: [201]) { number in
            Requests.send("POST", "/tables/small", Array("{\"n\":\(number)}".utf8))
        }
        let text = String(repeating: "x", count: pageBytes / 10)
        _ = try await load.run(10, expecting: [201]) { number in
            Requests.send(
                "POST", "/tables/large", Array("{\"n\":\(number),\"x\":\"\(text)\"}".utf8))
        }
    }

    /// Bodies of many small objects: an item, and a batch.
    private static func bodies(_ server: RunningServer, _ count: Int) -> Attack {
        let objects = Array(String(repeating: "{\"a\":1},", count: count / 8).utf8.dropLast())
        let item = Array("{\"x\":[".utf8) + objects + Array("]}".utf8)
        let batch =
            Array("{\"operations\":[{\"op\":\"insert\",\"item\":{\"x\":[".utf8) + objects
            + Array("]}}]}".utf8)
        return {
            _ = try await HTTPLoad(port: server.port, connectionCount: 4).run(
                8, expecting: [200, 201, 413, 503]
            ) { number in
                number % 2 == 0
                    ? Requests.send("POST", "/tables/bodies", item)
                    : Requests.send("POST", "/tables/bodies/operations/batch", batch)
            }
        }
    }

    /// Nested lambdas over a long array, while another client lists a small table.
    private static func filters(_ server: RunningServer) -> Attack {
        let filter = "a%2Fany(x:a%2Fany(y:a%2Fany(z:z%20eq%20-1)))"
        return {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    _ = try await HTTPLoad(port: server.port, connectionCount: 6).run(
                        12, expecting: [400]
                    ) { _ in
                        Requests.get("/tables/arrays?$filter=\(filter)&ZUMO-API-VERSION=3.0.0")
                            .replacingVersion()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func pages(_ server: RunningServer) -> Attack {
        {
            _ = try await HTTPLoad(port: server.port, connectionCount: 8).run(
                16, expecting: [200, 503]
            ) { _ in Requests.get("/tables/large") }
        }
    }

    /// Readers that take a first piece of a large page and no more, for some seconds.
    private static func readers(_ server: RunningServer, _ count: Int) -> Attack {
        {
            let sockets = try (0..<count).map { _ in try Loopback.connection(to: server.port) }
            defer { for socket in sockets { Loopback.close(socket) } }
            for socket in sockets {
                _ = Loopback.send(Requests.get("/tables/large")[...], to: socket)
            }
            try await Task.sleep(for: .seconds(10))
        }
    }
}

extension [UInt8] {
    /// The request without the header that names version 2.
    fileprivate func replacingVersion() -> [UInt8] {
        Array(
            String(decoding: self, as: UTF8.self)
                .replacing("ZUMO-API-VERSION: 2.0.0\r\n", with: "").utf8)
    }
}

/// How a server does while it is attacked.
private struct ServerHealth {
    /// The longest that a health check and a short list took, in milliseconds.
    var checkMax: Double
    var listMax: Double
    /// The most memory that was resident, in bytes.
    var residentMax: Int

    /// Asks for signs of life, and a short list, over and over during an attack.
    static func watch(
        _ server: RunningServer, during attack: @escaping @Sendable () async throws -> Void
    ) async throws -> ServerHealth {
        return try await withThrowingTaskGroup(of: ServerHealth.self) { group in
            let done = Done()
            for path in ["/healthz", "/tables/small?$top=5"] {
                group.addTask {
                    var health = ServerHealth(checkMax: 0, listMax: 0, residentMax: 0)
                    while !done.isDone {
                        let result = try await HTTPLoad(port: server.port, connectionCount: 1)
                            .run(5, expecting: [200]) { _ in Requests.get(path) }
                        let slowest = 1e3 * (result.latencies.last ?? 0)
                        if path == "/healthz" {
                            health.checkMax = max(health.checkMax, slowest)
                        } else {
                            health.listMax = max(health.listMax, slowest)
                        }
                        let resident = MemoryWatch.status("VmRSS", of: server.processId) ?? 0
                        health.residentMax = max(health.residentMax, resident)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    return health
                }
            }
            defer { done.end() }
            try await attack()
            done.end()
            var health = ServerHealth(checkMax: 0, listMax: 0, residentMax: 0)
            for try await part in group {
                health.checkMax = max(health.checkMax, part.checkMax)
                health.listMax = max(health.listMax, part.listMax)
                health.residentMax = max(health.residentMax, part.residentMax)
            }
            return health
        }
    }

    private final class Done: Sendable {
        private let state = Atomic(false)
        var isDone: Bool { state.load(ordering: .relaxed) }
        func end() { state.store(true, ordering: .relaxed) }
    }

    func comparisons(_ name: String, _ label: String) -> [Comparison] {
        [
            Self.comparison(name, "\(label)-check", "ms", checkMax, limit: 100),
            Self.comparison(name, "\(label)-list", "ms", listMax, limit: 1_000),
            Self.comparison(
                name, "\(label)-memory", "MB", Double(residentMax) / 1e6, limit: 300),
        ]
    }

    /// The memory that is resident at this moment.
    static func memory(
        _ name: String, _ label: String, of server: RunningServer, limit: Double
    ) -> Comparison {
        let resident = MemoryWatch.status("VmRSS", of: server.processId) ?? 0
        return comparison(name, "\(label)-memory", "MB", Double(resident) / 1e6, limit: limit)
    }

    private static func comparison(
        _ name: String, _ label: String, _ unit: String, _ value: Double, limit: Double
    ) -> Comparison {
        Comparison(
            name, peer: "self-\(label)", unit: unit, isHigherBetter: false, target: .atMost(1),
            settle: [Outcome(value: value)], peer: [Outcome(value: limit)],
            remark: "the worst during the attack, beside the limit")
    }
}
