import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Requests that would take a server's time and memory: how long a health check waits meanwhile, how long
/// another client's list does, and how much memory is resident.
enum ServeAttack: BenchmarkCase {
    static let name = "serve-attack"
    static let summary = "large and packed bodies, costly filters, large pages and slow readers"

    static func compare(_ bench: Bench) async throws -> [Comparison] {
        let size = bench.size.attack
        return try await bench.scratch.withFolder { folder in
            let directory = folder.appendingPathComponent("server", isDirectory: true)
            let bomb = try bomb(of: size.bombBytes, in: folder)
            return try await RunningServer.with(
                directory: directory, bodyMax: 20 << 20, readOnlyTable: readOnlyTable
            ) { server in
                try await prepare(server, size.elements, pageBytes: size.pageBytes)
                var comparisons: [Comparison] = []
                for (label, attack) in [
                    ("refused", bodies(server, readOnlyTable, size.bodyBytes, [403])),
                    ("filters", filters(server)), ("pages", pages(server)),
                    ("readers", readers(server, size.slowReaders)),
                    ("packed", packed(server, bomb, size.bombs)),
                    ("bodies", bodies(server, "bodies", size.bodyBytes, [200, 201, 413, 503])),
                ] {
                    let figures = try await ServerHealth.watch(server, during: attack)
                    comparisons += figures.comparisons(name, label)
                    // A second after the last large request memory is given back.
                    try await Task.sleep(for: .seconds(3))
                    comparisons.append(ServerHealth.memory(name, "\(label)-left", of: server))
                }
                return comparisons
            }
        }
    }

    /// A table that may be read, and not written.
    private static let readOnlyTable = "public"

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

    /// Bodies of many small objects, three at once: items, and batches.
    private static func bodies(
        _ server: RunningServer, _ table: String, _ count: Int, _ status: Set<Int>
    ) -> Attack {
        let objects = Array(String(repeating: "{\"a\":1},", count: count / 8).utf8.dropLast())
        let item = Array("{\"x\":[".utf8) + objects + Array("]}".utf8)
        let batch =
            Array("{\"operations\":[{\"op\":\"insert\",\"item\":{\"x\":[".utf8) + objects
            + Array("]}}]}".utf8)
        return {
            _ = try await HTTPLoad(port: server.port, connectionCount: 3).run(
                6, expecting: status
            ) { number in
                number % 2 == 0
                    ? Requests.send("POST", "/tables/\(table)", item)
                    : Requests.send("POST", "/tables/\(table)/operations/batch", batch)
            }
        }
    }

    /// Nested lambdas over a long array, while another client lists a small table.
    private static func filters(_ server: RunningServer) -> Attack {
        let filter = "a%2Fany(x:a%2Fany(y:a%2Fany(z:z%20eq%20-1)))"
        return {
            _ = try await HTTPLoad(port: server.port, connectionCount: 6).run(
                12, expecting: [400]
            ) { _ in
                Requests.get("/tables/arrays?$filter=\(filter)&ZUMO-API-VERSION=3.0.0")
                    .replacingVersion()
            }
        }
    }

    /// Items that are zeros in gzip, which unpack to a thousand times their size, all at once.
    private static func packed(_ server: RunningServer, _ bomb: [UInt8], _ count: Int) -> Attack {
        {
            let request = Requests.send(
                "POST", "/tables/bodies", bomb, fields: "Content-Encoding: gzip\r\n")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        // The server ends the connection.
                        _ = try await HTTPLoad(port: server.port, connectionCount: 1).run(
                            1, expecting: [413, 503]
                        ) { _ in request }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// So many zeros as gzip packs them.
    private static func bomb(of count: Int, in folder: URL) throws -> [UInt8] {
        let file = folder.appendingPathComponent("zeros")
        try Data(count: count).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", file.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("gzip did not pack.") }
        return Array(try Data(contentsOf: file.appendingPathExtension("gz")))
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
