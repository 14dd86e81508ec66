import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Rows of operations` {
    private let key = OperationKey(pipeline: 1, graph: 2, number: 3)

    private func randomText(_ random: inout SeededGenerator) -> String {
        ["", "a", "zoë", "two words", "x/y\0z", String(repeating: "long", count: 60)]
            .randomElement(using: &random) ?? ""
    }

    private func randomMembers(_ random: inout SeededGenerator) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            members[randomText(&random)] =
                [.null, 1, 2.5, "it's", ["a": [true]]].randomElement(using: &random) ?? .null
        }
        return members
    }

    private func randomRow(_ random: inout SeededGenerator) throws -> OperationRow {
        var row = OperationRow(
            id: UUID(), name: randomText(&random),
            priority: [0, 1, -1, .max, .min].randomElement(using: &random) ?? 0,
            isStrict: Bool.random(using: &random),
            content: try PackedValue(operation: Errand(text: randomText(&random)), UUID()))
        row.startCount = random.next() >> UInt64.random(in: 0...63, using: &random)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            row.dependencies.insert(UUID())
            row.documentIds.append(randomText(&random))
            row.changedFields[randomText(&random)] = FieldChanges(
                old: randomMembers(&random), new: randomMembers(&random))
            row.holds[randomText(&random)] = OutboxRowKey.date(random.next() >> 11)
        }
        if Bool.random(using: &random) { row.dependencies = [] }
        if Bool.random(using: &random) { row.documentIds = [] }
        if Bool.random(using: &random) { row.changedFields = [:] }
        if Bool.random(using: &random) { row.holds = [:] }
        if Bool.random(using: &random) { row.notes = randomMembers(&random) }
        if Bool.random(using: &random) {
            row.failure = OperationFault(
                message: randomText(&random), date: OutboxRowKey.date(random.next() >> 11))
        }
        return row
    }

    @Test func `come back as they were written`() throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let row = try randomRow(&random)
            let read = try OperationRow(decoding: row.encoded(), key)
            #expect(read == row, "\(random)")
            #expect(read.encoded() == row.encoded(), "\(random)")
        }
    }

    @Test func `that are cut off anywhere are an error, at the latest when the content is read`()
        throws
    {
        var random = SeededGenerator()
        for _ in 0..<20 {
            let row = try randomRow(&random)
            let bytes = row.encoded()
            let contentStart = bytes.count - row.content.bytes.count
            for count in 0..<bytes.count {
                do {
                    let read = try OperationRow(decoding: Array(bytes[..<count]), key)
                    if count < contentStart { Issue.record("\(count) bytes; \(random)") }
                    _ = try QueuedOperation(read, key, pipeline: "p", status: .pending).json()
                    Issue.record("\(count) of \(bytes.count) bytes were read; \(random)")
                } catch let error as DatabaseError {
                    if error.code != .corrupted || !error.message.contains("peration") {
                        Issue.record("\(error); \(random)")
                    }
                }
            }
        }
    }

    @Test func `with any byte changed are read or are an error`() throws {
        var random = SeededGenerator()
        for _ in 0..<200 {
            var bytes = try randomRow(&random).encoded()
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            do {
                let read = try OperationRow(decoding: bytes, key)
                let operation = QueuedOperation(read, key, pipeline: "p", status: .pending)
                _ = try? operation.json()
                _ = try? operation.operation(as: Errand.self)
            } catch {
                #expect(error.code == .corrupted, "\(random)")
            }
        }
    }

    @Test func `of a later layout, or with flags that nobody knows, are not guessed at`() throws {
        let row = OperationRow(
            id: UUID(), name: "errand", isStrict: true,
            content: try PackedValue(operation: Errand(), UUID()))
        for (index, byte) in [(0, UInt8(2)), (1, 128), (1, 192)] {
            var bytes = row.encoded()
            bytes[index] = byte
            #expect(throws: DatabaseError.self) { try OperationRow(decoding: bytes, key) }
        }
    }

    @Test func `are laid out field by field`() throws {
        let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let other = try #require(UUID(uuidString: "FFEEDDCC-BBAA-9988-7766-554433221100"))
        var row = OperationRow(
            id: id, name: "put", priority: -1, isStrict: true,
            content: PackedValue(stored: [0xAB, 0xCD]))
        row.startCount = 2
        row.dependencies = [other]
        row.documentIds = ["fig"]
        row.changedFields = ["fig": FieldChanges(old: ["n": 1], new: [:])]
        row.holds = ["wifi": Date(timeIntervalSince1970: 1)]
        #expect(
            hexadecimal(row.encoded()) == """
                01 1F 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF FF FF FF FF 0F 02 03 70 75 74 \
                01 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00 01 03 66 69 67 \
                01 03 66 69 67 07 7B 22 6E 22 3A 31 7D 02 7B 7D \
                01 04 77 69 66 69 C0 84 3D AB CD
                """)
        row.notes = ["at": 5, "id": "s"]
        let noted = hexadecimal(row.encoded())
        #expect(noted.hasPrefix("01 3F 00"))
        #expect(
            noted.hasSuffix(
                "C0 84 3D 11 7B 22 61 74 22 3A 35 2C 22 69 64 22 3A 22 73 22 7D AB CD"))
        row.failure = OperationFault(message: "no", date: Date(timeIntervalSince1970: 1))
        let failed = hexadecimal(row.encoded())
        #expect(failed.hasPrefix("01 7F 00"))
        #expect(failed.hasSuffix("22 73 22 7D C0 84 3D 02 6E 6F AB CD"))
        let bare = OperationRow(
            id: id, name: "put", isStrict: false, content: PackedValue(stored: [0xAB]))
        #expect(
            hexadecimal(bare.encoded())
                == "01 00 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF 00 00 03 70 75 74 AB")
    }

    @Test func `hold operations until the latest of the dates`() throws {
        var row = OperationRow(
            id: UUID(), name: "put", isStrict: false, content: PackedValue(stored: []))
        #expect(row.holdDate == nil)
        row.holds = ["a": Date(timeIntervalSince1970: 5), "b": Date(timeIntervalSince1970: 7)]
        #expect(row.holdDate == Date(timeIntervalSince1970: 7))
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: " ")
}
