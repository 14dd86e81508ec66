import CoreMetrics
import MetricsTestKit
import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Replication metrics` {
    @Test func `count what was done, once, also over several tries`() async throws {
        let device = try await Device()
        let server = ModelServer()
        let metrics = TestMetrics()
        for id in ["a", "b"] { try await device.put(id, [:]) }
        for id in ["x", "y", "z"] { server.put(id, [:]) }
        let script = Script<ModelBackend.Fault>([.none, .none, .requestLost], then: .none)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        try await device.replicate(backend) {
            $0.metrics = metrics
            $0.retryLimit = 2
            $0.clock = ImmediateClock()
        }
        func total(_ name: String, _ more: [(String, String)] = []) throws -> Int64 {
            try metrics.expectCounter(
                "settle_replication_\(name)_total", [("remote", "model")] + more
            ).totalValue
        }
        #expect(try total("pushed") == 2)
        #expect(try total("pulled") == 3)
        #expect(try total("received") == 5)
        #expect(try total("cycles", [("ending", "completed")]) == 1)
        #expect(try total("cycles", [("ending", "failed.unreachable")]) == 1)
    }
}
