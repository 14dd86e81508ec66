import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Rows of pipelines, counters, and lists` {
    private func randomNumber(_ random: inout SeededGenerator) -> UInt64 {
        random.next() >> UInt64.random(in: 0...63, using: &random)
    }

    @Test func `come back as they were written, and cut off are an error`() throws {
        var random = SeededGenerator()
        for _ in 0..<60 {
            var record = PipelineRecord(
                name: "p", number: UInt32(truncatingIfNeeded: randomNumber(&random)))
            record.algorithm =
                PipelineAlgorithm.allCases.randomElement(using: &random) ?? .flatGraph
            record.strictGraphLast = randomNumber(&random)
            let readRecord = try PipelineRecord(decoding: record.encoded(), name: "p")
            #expect(readRecord == record, "\(random)")
            for count in 0..<record.encoded().count {
                let bytes = Array(record.encoded()[..<count])
                #expect(throws: DatabaseError.self, "\(random)") {
                    try PipelineRecord(decoding: bytes, name: "p")
                }
            }
            var counters = OutboxCounters()
            counters.operation = randomNumber(&random)
            counters.graph = randomNumber(&random)
            counters.pipeline = UInt32(truncatingIfNeeded: randomNumber(&random))
            let readCounters = try OutboxCounters(decoding: counters.encoded())
            #expect(readCounters == counters, "\(random)")
            for count in 0..<counters.encoded().count {
                let bytes = Array(counters.encoded()[..<count])
                #expect(throws: DatabaseError.self, "\(random)") {
                    try OutboxCounters(decoding: bytes)
                }
            }
        }
    }

    @Test func `are laid out field by field`() throws {
        var record = PipelineRecord(name: "photos", number: 2)
        record.algorithm = .flatGraph
        record.strictGraphLast = 300
        #expect(hexadecimal(record.encoded()) == "01 01 02 AC 02")
        var counters = OutboxCounters()
        counters.operation = 5
        counters.graph = 3
        counters.pipeline = 2
        #expect(hexadecimal(counters.encoded()) == "01 05 03 02")
        let key = OperationKey(pipeline: 1, graph: 2, number: 3)
        let place = "00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 03"
        #expect(hexadecimal(OutboxRowKey.operation(key)) == "01 00 00 00 01 \(place)")
        #expect(
            hexadecimal(OutboxRowKey.place(.ready, key, priority: 0))
                == "03 00 00 00 01 00 7F FF FF FF \(place)")
        #expect(
            hexadecimal(
                OutboxRowKey.place(.held(Date(timeIntervalSince1970: 1)), key, priority: 9))
                == "03 00 00 00 01 01 00 00 00 00 00 0F 42 40 \(place)")
        #expect(
            hexadecimal(OutboxRowKey.place(.started, key, priority: 9))
                == "03 00 00 00 01 02 \(place)")
        #expect(
            hexadecimal(OutboxRowKey.document("fig", key))
                == "06 66 69 67 00 00 00 00 01 \(place)")
    }

    @Test func `of a layout or an algorithm that nobody knows are an error`() {
        for bytes: [UInt8] in [
            [2, 0, 1, 0], [1, 2, 1, 0], [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0],
        ] {
            #expect(throws: DatabaseError.self) {
                try PipelineRecord(decoding: bytes, name: "p")
            }
        }
        #expect(throws: DatabaseError.self) { try OutboxCounters(decoding: [2, 0, 0, 0]) }
    }

    @Test func `have keys in the order in which operations start`() {
        var random = SeededGenerator()
        func someKey() -> OperationKey {
            OperationKey(
                pipeline: 7, graph: UInt64.random(in: 0...300, using: &random),
                number: UInt64.random(in: 0...70_000, using: &random))
        }
        let priorities: [Int32] = [.min, -300, -1, 0, 1, 255, 256, .max]
        for _ in 0..<500 {
            let (one, other) = (someKey(), someKey())
            let first = priorities.randomElement(using: &random) ?? 0
            let second = priorities.randomElement(using: &random) ?? 0
            let isBefore = OutboxRowKey.place(.ready, one, priority: first)
                .lexicographicallyPrecedes(OutboxRowKey.place(.ready, other, priority: second))
            #expect(isBefore == (first == second ? one < other : first > second), "\(random)")
            let read = OutboxRowKey.operation(
                ofPlace: OutboxRowKey.place(.ready, one, priority: first), pipeline: 7)
            #expect(read == one, "\(random)")
            #expect(OperationKey(one.bytes) == one, "\(random)")
        }
        #expect(OperationKey([1, 2, 3]) == nil)
        #expect(OutboxRowKey.operation(ofPlace: [3, 0, 0, 0, 7, 0], pipeline: 7) == nil)
        #expect(OutboxRowKey.date(ofHeld: [3, 0, 0, 0, 7, 1]) == nil)
    }

    @Test func `keep dates so that one that was read gives the same key`() {
        var random = SeededGenerator()
        for exponent in 0..<63 {
            for _ in 0..<60 {
                let number = min(
                    UInt64.random(in: 0...(1 << UInt64(exponent + 1) - 1), using: &random),
                    9_000_000_000_000_000_000)
                let date = OutboxRowKey.date(number)
                let again = OutboxRowKey.microseconds(date)
                #expect(
                    OutboxRowKey.microseconds(OutboxRowKey.date(again)) == again,
                    "\(number), \(random)")
                // Exact as far as a Date can tell microseconds from each other.
                if exponent < 51 { #expect(again == number, "\(random)") }
                let other = Date(
                    timeIntervalSinceReferenceDate: Double(number) / 1_000_000
                        + Double.random(in: 0...1, using: &random))
                let stored = OutboxRowKey.microseconds(other)
                let readAgain = OutboxRowKey.microseconds(OutboxRowKey.date(stored))
                #expect(readAgain == stored, "\(other.timeIntervalSinceReferenceDate), \(random)")
            }
        }
        for date in [Date.distantPast, Date(timeIntervalSince1970: -1)] {
            #expect(OutboxRowKey.microseconds(date) == 0)
        }
        for seconds in [Double.infinity, .greatestFiniteMagnitude, 1e13] {
            let number = OutboxRowKey.microseconds(Date(timeIntervalSinceReferenceDate: seconds))
            #expect(number == 9_000_000_000_000_000_000)
            #expect(OutboxRowKey.microseconds(OutboxRowKey.date(number)) == number)
        }
        #expect(OutboxRowKey.microseconds(Date(timeIntervalSinceReferenceDate: .nan)) == 0)
        #expect(OutboxRowKey.date(.max) > .distantFuture)
        #expect(OutboxRowKey.date(OutboxRowKey.microseconds(.distantFuture)) == .distantFuture)
    }
}
