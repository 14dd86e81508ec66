import SettleDocuments
import Testing
import TestSupport

@testable import SettleStorage

@Suite(.serialized) struct `Document record` {
    private func sample(_ random: inout SeededGenerator) throws -> DocumentRecord {
        let digest = { (random: inout SeededGenerator) in
            Revision.Digest(
                high: .random(in: 0...UInt64.max, using: &random),
                low: .random(in: 0...UInt64.max, using: &random))
        }
        let created = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
        var record = DocumentRecord(
            sequence: .random(in: 0...UInt64.max, using: &random),
            revision: Revision(
                generation: .random(in: 1...UInt32.max, using: &random), digest: digest(&random)),
            ancestors: (0..<Int.random(in: 0...10, using: &random)).map { _ in digest(&random) },
            isDeleted: Bool.random(using: &random),
            created: Timestamp(microseconds: created),
            changed: Timestamp(microseconds: .random(in: Int64.min...Int64.max, using: &random)),
            expiration: Bool.random(using: &random)
                ? Timestamp(microseconds: .random(in: Int64.min...Int64.max, using: &random))
                : nil,
            origin: Bool.random(using: &random) ? "http://host/tables/cities" : nil,
            body: try PackedValue(.object(["n": .integer(created)])))
        record.isHeld = Bool.random(using: &random)
        if record.origin == nil, Bool.random(using: &random) {
            record.originNumber = .random(in: 0...UInt64.max, using: &random)
        }
        return record
    }

    @Test func `comes back from its bytes as it was`() throws {
        var random = SeededGenerator()
        for _ in 0..<500 {
            let record = try sample(&random)
            let bytes = record.encoded()
            #expect(try DocumentRecord(decoding: bytes.span, id: "x") == record, "\(random)")
        }
    }

    @Test func `with any byte cut off or changed is refused or decodes, never traps`() throws {
        var random = SeededGenerator()
        let record = try sample(&random)
        let bytes = record.encoded()
        let headLength = bytes.count - record.body.bytes.count
        for length in 0...headLength {
            let short = Array(bytes.prefix(length))
            #expect(throws: StorageError.self, "cut to \(length) bytes, \(random)") {
                try DocumentRecord(decoding: short.span, id: "x")
            }
        }
        var refused = 0
        for index in bytes.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                if (try? DocumentRecord(decoding: changed.span, id: "x")) == nil { refused += 1 }
            }
        }
        // The layout byte and the unknown flags alone account for several.
        #expect(refused >= 4)
    }

    @Test func `has the bytes that the format page shows`() throws {
        let record = DocumentRecord(
            sequence: 300,
            revision: Revision(
                generation: 2,
                digest: Revision.Digest(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)),
            ancestors: [
                Revision.Digest(high: 0xAAAA_AAAA_AAAA_AAAA, low: 0xAAAA_AAAA_AAAA_AAAA)
            ],
            isDeleted: false,
            created: Timestamp(microseconds: 1), changed: Timestamp(microseconds: 3), origin: "o",
            body: try PackedValue(.object([:])))
        let head: [UInt8] =
            [1, 6, 0xAC, 2, 2] + Array(0..<16) + [0, 0, 0, 0, 0, 0, 0, 1] + [4] + [1, 0x6F] + [1]
        #expect(
            record.encoded()
                == head + [UInt8](repeating: 0xAA, count: 16) + record.body.bytes)
        var numbered = record
        (numbered.originNumber, numbered.isHeld) = (1, true)
        #expect(
            numbered.encoded()
                == [1, 0x64] + head[2...].dropLast(3) + [1, 1]
                + [UInt8](repeating: 0xAA, count: 16) + record.body.bytes)
    }

    @Test func `tells where its members begin, whatever its head has`() throws {
        var random = SeededGenerator()
        for _ in 0..<500 {
            let record = try sample(&random)
            let bytes = record.encoded()
            let place = RecordHead.members(of: bytes.span)
            #expect(place?.start == bytes.count - record.body.bytes.count, "\(random)")
            #expect(place?.isDeleted == record.isDeleted, "\(random)")
            let held = RecordHead.held(bytes.span)
            #expect(try DocumentRecord(decoding: held.span, id: "x").isHeld, "\(random)")
        }
    }
}
