import Foundation
import Synchronization

/// How a server does while it is attacked.
struct ServerHealth {
    /// The longest that a health check and a short list took, in milliseconds.
    var checkMax = 0.0
    var listMax = 0.0
    /// The most memory of its own, in bytes, and the most that was resident with pages of mapped files.
    var anonymousMax = 0
    var residentMax = 0

    /// Asks for signs of life, and a short list, over and over during an attack.
    static func watch(
        _ server: RunningServer, during attack: @escaping @Sendable () async throws -> Void
    ) async throws -> ServerHealth {
        return try await withThrowingTaskGroup(of: ServerHealth.self) { group in
            let done = Done()
            for path in ["/healthz", "/tables/small?$top=5"] {
                group.addTask {
                    var health = ServerHealth()
                    while !done.isDone {
                        let result = try await HTTPLoad(port: server.port, connectionCount: 1)
                            .run(5, expecting: [200]) { _ in Requests.get(path) }
                        let slowest = 1e3 * (result.latencies.last ?? 0)
                        if path == "/healthz" {
                            health.checkMax = max(health.checkMax, slowest)
                        } else {
                            health.listMax = max(health.listMax, slowest)
                        }
                        health.lookAtMemory(of: server)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    return health
                }
            }
            defer { done.end() }
            try await attack()
            done.end()
            var health = ServerHealth()
            for try await part in group {
                health.checkMax = max(health.checkMax, part.checkMax)
                health.listMax = max(health.listMax, part.listMax)
                health.anonymousMax = max(health.anonymousMax, part.anonymousMax)
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

    private mutating func lookAtMemory(of server: RunningServer) {
        anonymousMax = max(
            anonymousMax, MemoryWatch.status("RssAnon", of: server.processId) ?? 0)
        residentMax = max(residentMax, MemoryWatch.status("VmRSS", of: server.processId) ?? 0)
    }

    func comparisons(_ name: String, _ label: String) -> [Comparison] {
        [
            Self.comparison(name, "\(label)-check", "ms", checkMax, limit: 100),
            Self.comparison(name, "\(label)-list", "ms", listMax, limit: 1_000),
            Self.comparison(
                name, "\(label)-memory", "MB", Double(anonymousMax) / 1e6, limit: 300,
                remark: "of its own; \(residentMax / 1_000_000) MB with pages of its databases"),
        ]
    }

    /// The memory of its own at this moment, when all has been given back.
    static func memory(_ name: String, _ label: String, of server: RunningServer) -> Comparison {
        let anonymous = MemoryWatch.status("RssAnon", of: server.processId) ?? 0
        return comparison(
            name, label, "MB", Double(anonymous) / 1e6, limit: 300,
            remark: "of its own, 3 s later")
    }

    private static func comparison(
        _ name: String, _ label: String, _ unit: String, _ value: Double, limit: Double,
        remark: String = "the worst during the attack, beside the limit"
    ) -> Comparison {
        Comparison(
            name, peer: "self-\(label)", unit: unit, isHigherBetter: false, target: .atMost(1),
            settle: [Outcome(value: value)], peer: [Outcome(value: limit)],
            remark: remark)
    }
}
