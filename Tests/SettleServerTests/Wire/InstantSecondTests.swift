import SettleOData
import Testing

@testable import SettleServer

@Suite struct `Seconds of instants` {
    @Test func `are rounded down`() {
        #expect(Instant(microseconds: 0).second == 0)
        #expect(Instant(microseconds: 1_999_999).second == 1)
        #expect(Instant(microseconds: -1).second == -1)
        #expect(Instant(microseconds: -1_000_000).second == -1)
    }
}
