import Settle
import Testing
@testable import SettleSync
@Suite struct SpeedProbe {
    @Test func probe() async throws {
        let device = try await Device()
        let server = ModelServer()
        let clock = ContinuousClock()
        let t1 = try await clock.measure {
            try await device.database.write { t in
                for i in 0..<20_000 { var d = Document(id: "d\(i)"); d[json: "n"] = .integer(Int64(i)); d[json: "text"] = "some text of a city"; try t.save(d) }
            }
        }
        let t2 = try await clock.measure { _ = try await device.replicate(server) }
        let other = try await Device()
        let t3 = try await clock.measure { _ = try await other.replicate(ModelBackend(server: server)) { $0.pageSize = 1000 } }
        let t4 = try await clock.measure { _ = try await other.replicate(ModelBackend(server: server)) }
        print("PROBE write \(t1) push \(t2) pull \(t3) idle \(t4)")
    }
}
