import Foundation
import TestSupport
import Testing

@testable import SettleOutbox

@Suite struct `Identifiers of operations` {
    @Test func `are UUIDs of version 7 with the milliseconds in front`() {
        // The example of RFC 9562, appendix A.6, at the beginning of its millisecond.
        let date = Date(timeIntervalSince1970: 1_645_557_742)
        let id = OperationIdentifier.make(at: date, random: 0x18C4_DC0C_0C07_398F)
        #expect(id.uuidString == "017F22E2-79B0-7000-98C4-DC0C0C07398F")
    }

    @Test func `keep version and variant whatever the random bits and the date`() {
        for random in [UInt64.min, .max, 0x5555_5555_5555_5555] {
            for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)] {
                let bytes = OperationIdentifier.make(at: date, random: random).bytes
                #expect(bytes[6] >> 4 == 7)
                #expect(bytes[8] >> 6 == 2)
            }
        }
    }

    @Test func `of later microseconds sort after earlier ones`() {
        let seed: UInt64 = 7
        var numbers = SeededGenerator(seed: seed)
        var date = Date(timeIntervalSince1970: 1_795_000_000)
        var last: [UInt8] = []
        for number in 0..<2_000 {
            let id = OperationIdentifier.make(at: date, random: numbers.next())
            #expect(last.lexicographicallyPrecedes(id.bytes), "seed \(seed), number \(number)")
            last = id.bytes
            date += Double(2 + numbers.next() % 2_000) / 1_000_000
        }
    }

    @Test func `of one moment differ`() {
        let date = Date(timeIntervalSince1970: 1_795_000_000)
        let ids = Set((0..<1_000).map { _ in OperationIdentifier.make(at: date) })
        #expect(ids.count == 1_000)
    }
}
