import Foundation
import Settle
import Testing
import TestSupport

@testable import SettleSync

@Suite(.serialized) struct `PushQueue rows` {
    private func randomState(_ random: inout SeededGenerator) -> BaseItem {
        var state = BaseItem(
            presence: ServerPresence.allCases.randomElement(using: &random) ?? .live,
            version: Bool.random(using: &random) ? "v\(random.next() % 1_000)" : nil,
            members: Bool.random(using: &random)
                ? ["n": .integer(Int64(bitPattern: random.next())), "s": "it's", "x": .null] : nil)
        if Bool.random(using: &random) {
            state.updated = Date(timeIntervalSince1970: Double(random.next() % 1_000_000) / 7)
        }
        if Bool.random(using: &random) { state.source = random.next() }
        state.nullMayMeanAbsent = Bool.random(using: &random)
        if Bool.random(using: &random) { state.unshown = ["n", "\(random.next() % 9)"] }
        if Bool.random(using: &random) { state.rounded = ["n": .integer(.max)] }
        return state
    }

    private func randomEntry(_ random: inout SeededGenerator) -> PendingChange {
        var entry = PendingChange(order: random.next())
        entry.status =
            [.pending, .withheld, .rejected, .conflict, .outside].randomElement(using: &random)
            ?? .pending
        entry.failureCount = random.next() % 300
        if Bool.random(using: &random) { entry.reason = "refused: \(random.next())" }
        if Bool.random(using: &random) {
            entry.sent = .init(
                kind: OperationKind.allCases.randomElement(using: &random) ?? .insert,
                baseVersion: Bool.random(using: &random) ? "a\"b" : nil, members: ["a": [1, 2.5]],
                revision: Bool.random(using: &random) ? "1-abc" : nil)
        }
        if Bool.random(using: &random) { entry.queued = .delete }
        if Bool.random(using: &random) { entry.seen = randomState(&random) }
        if entry.reason != nil, Bool.random(using: &random) {
            entry.reject(
                RemoteRejection(
                    reason: "refused", statusCode: Bool.random(using: &random) ? 422 : nil,
                    body: Bool.random(using: &random) ? Data([0, 255, 7]) : nil))
        }
        entry.isOutOfScope = Bool.random(using: &random)
        return entry
    }

    @Test func `come back as they were written`() throws {
        var random = SeededGenerator()
        for _ in 0..<500 {
            let entry = randomEntry(&random)
            let read = try PendingChange(decoding: entry.encoded(), id: "a")
            #expect(read == entry, "\(random)")
        }
    }

    @Test func `of remotes come back as they were written, those of earlier layouts, too`() throws {
        for scope in [ReplicationScope.all, .documents(ofType: "todo")] {
            for carriesAttachments in [false, true] {
                var record = RemoteRecord(number: 300, checkpoint: .max)
                record.scope = scope
                record.carriesAttachments = carriesAttachments
                let bytes = record.encoded()
                #expect(try RemoteRecord(decoding: bytes, "r") == record)
                #expect(bytes[0] == (carriesAttachments ? 3 : scope == .all ? 1 : 2))
                for count in 0..<bytes.count {
                    #expect(throws: DatabaseError.self) {
                        try RemoteRecord(decoding: Array(bytes.prefix(count)), "r")
                    }
                }
            }
        }
        #expect(throws: DatabaseError.self) { try RemoteRecord(decoding: [4, 1, 0], "r") }
    }

    @Test func `that are cut off anywhere are an error that names the document`() throws {
        var random = SeededGenerator()
        for _ in 0..<50 {
            let bytes = randomEntry(&random).encoded()
            for count in 0..<bytes.count {
                do {
                    _ = try PendingChange(decoding: Array(bytes[..<count]), id: "fig")
                    Issue.record("\(count) of \(bytes.count) bytes were read; \(random)")
                } catch let error as DatabaseError {
                    #expect(error.code == .corrupted)
                    #expect(error.message.contains("'fig'"))
                }
            }
        }
    }

    @Test func `recognise what was sent in what the remote shows`() {
        let sent: [String: JSONValue] = ["text": "one", "n": 1, "tags": ["x"]]
        func state(_ members: [String: JSONValue]) -> BaseItem {
            BaseItem(presence: .live, version: "1", members: members)
        }
        #expect(state(sent).holds(sent))
        #expect(state(["text": "one", "n": 1.0, "tags": ["x"], "column": .null]).holds(sent))
        #expect(!state(["text": "one", "n": 1, "tags": ["x"], "other": 2]).holds(sent))
        #expect(!state(["text": "two", "n": 1, "tags": ["x"]]).holds(sent))
        #expect(!state(["text": "one", "n": 1]).holds(sent))
        #expect(!BaseItem(presence: .deleted, members: sent).holds(sent))
    }

    @Test func `know numbers of ours that were rounded`() {
        func isRounded(_ sent: JSONValue, _ shown: JSONValue) -> Bool {
            let state = BaseItem(presence: .live, version: "1", members: ["n": shown])
            return state.holds(["n": sent], isRounded: true)
        }
        #expect(isRounded(9_007_199_254_740_993, 9_007_199_254_740_992))
        #expect(isRounded(.integer(.max), .double(9_223_372_036_854_775_808)))
        #expect(isRounded(1_234_567_890_123_456_789, 1_234_567_890_123_456_800))
        #expect(isRounded([["a": 9_007_199_254_740_993]], [["a": 9_007_199_254_740_992]]))
        #expect(isRounded(1e18, 1_000_000_000_000_000_000))
        // Others that lie as near are somebody's.
        #expect(!isRounded(1_234_567_890_123_456_789, 1_234_567_890_123_456_790))
        #expect(!isRounded(9_007_199_254_740_992, 9_007_199_254_740_993))
        #expect(!isRounded(9_007_199_254_740_992.0, 9_007_199_254_740_993))
        #expect(!isRounded("1", 1))
        let state = BaseItem(
            presence: .live, version: "1", members: ["n": 9_007_199_254_740_992])
        #expect(!state.holds(["n": 9_007_199_254_740_993]))
    }

    @Test func `keep what was sent as long as the remote shows the same`() {
        var first = BaseItem(
            presence: .live, version: "1", members: ["n": 9_007_199_254_740_992, "m": 1])
        first.keepExact(["n": 9_007_199_254_740_993, "m": 1])
        #expect(first.members == ["n": 9_007_199_254_740_993, "m": 1])
        #expect(first.shownMembers == ["n": 9_007_199_254_740_992, "m": 1])
        var later = BaseItem(
            presence: .live, version: "2", members: ["n": 9_007_199_254_740_992, "m": 2])
        later.keepExact(as: first)
        #expect(later.members == ["n": 9_007_199_254_740_993, "m": 2])
        later.keepExact(["n": 9_007_199_254_740_992, "m": 2])
        #expect(later.members == ["n": 9_007_199_254_740_992, "m": 2])
        var edited = BaseItem(
            presence: .live, version: "3", members: ["n": 9_007_199_254_740_990])
        edited.keepExact(as: first)
        #expect(edited.members == ["n": 9_007_199_254_740_990])
    }

    @Test func `recognise an undeletion although the remote shows columns that are new`() {
        var sent = PendingChange.Sent(
            kind: .undelete, baseVersion: "1", members: [:], revision: nil)
        let base = BaseItem(presence: .deleted, version: "1", members: ["n": 1, "old": .null])
        func isOwnWork(_ members: [String: JSONValue]) -> Bool {
            let state = BaseItem(presence: .live, version: "2", members: members)
            return PushQueue.isOwnWork(sent, shows: state, base: base, in: .all)
        }
        #expect(isOwnWork(["n": 1]))
        #expect(isOwnWork(["n": 1.0, "column": .null]))
        #expect(!isOwnWork(["n": 2]))
        #expect(!isOwnWork(["n": 1, "column": 1]))
        sent.kind = .delete
        #expect(!isOwnWork(["n": 1]))
    }

    @Test func `recognise an undeletion whatever is not said of attachments`() {
        let sent = PendingChange.Sent(
            kind: .undelete, baseVersion: "1", members: [:], revision: nil)
        func isOwnWork(_ before: [String: JSONValue], _ members: [String: JSONValue]) -> Bool {
            let base = BaseItem(presence: .deleted, version: "1", members: before)
            let state = BaseItem(presence: .live, version: "2", members: members)
            return PushQueue.isOwnWork(sent, shows: state, base: base, in: .all)
        }
        let name = AttachmentMember.name
        #expect(isOwnWork(["n": 1, name: [:]], ["n": 1, name: [:]]))
        #expect(isOwnWork(["n": 1, name: [:]], ["n": 1]))
        #expect(isOwnWork(["n": 1], ["n": 1, name: [:]]))
        #expect(!isOwnWork(["n": 1, name: [:]], ["n": 2]))
        // A member of that name that describes nothing is one like any other.
        #expect(!isOwnWork(["n": 1, name: 7], ["n": 1]))
    }

    @Test func `have the bytes that the format page shows`() {
        var row = RowWriter()
        BaseItem(presence: .live, version: "Mg==", members: ["n": 1]).write(to: &row)
        let state = "03 01 01 01 04 4D 67 3D 3D 06 89 01 03 01 6E 41"
        #expect(Self.hexadecimal(row.bytes) == state)
        row = RowWriter()
        var partial = BaseItem(presence: .live, version: "Mg==", members: ["n": 1])
        partial.nullMayMeanAbsent = true
        partial.unshown = ["n"]
        partial.write(to: &row)
        #expect(
            Self.hexadecimal(row.bytes)
                == "03 01 31 01 04 4D 67 3D 3D 06 89 01 03 01 6E 41 01 01 6E")
        row = RowWriter()
        var rounded = BaseItem(
            presence: .live, version: "Mg==", members: ["n": 9_007_199_254_740_992])
        rounded.keepExact(["n": 9_007_199_254_740_993])
        rounded.write(to: &row)
        #expect(
            Self.hexadecimal(row.bytes)
                == "03 01 41 01 04 4D 67 3D 3D 0D 89 01 0A 01 6E 96 20 00 00 00 00 00 01 "
                + "16 7B 22 6E 22 3A 39 30 30 37 31 39 39 32 35 34 37 34 30 39 39 32 7D"
        )
        var entry = PendingChange(order: 9)
        entry.queued = .update
        #expect(Self.hexadecimal(entry.encoded()) == "02 00 02 09 00 00 02")
        entry.reject(RemoteRejection(reason: "No", statusCode: 422, body: Data("{}".utf8)))
        #expect(
            Self.hexadecimal(entry.encoded())
                == "02 02 22 09 00 01 02 4E 6F 02 A6 03 02 7B 7D")
        var sent = PendingChange(order: 9)
        sent.sent = PendingChange.Sent(
            kind: .update, baseVersion: "Mg==", members: ["n": 1], revision: nil)
        #expect(
            Self.hexadecimal(sent.encoded())
                == "03 00 01 09 00 00 02 01 04 4D 67 3D 3D 00 06 89 01 03 01 6E 41")
    }

    @Test func `are read as releases before wrote them`() throws {
        let bytes: [UInt8] = [1, 2, 2, 9, 0, 1, 2, 0x4E, 0x6F, 2]
        var entry = PendingChange(order: 9)
        entry.queued = .update
        entry.status = .rejected
        entry.reason = "No"
        #expect(try PendingChange(decoding: bytes, id: "a") == entry)
        // What was sent had its members as text, and so had states.
        for layout in [1, 2] as [UInt8] {
            let bytes: [UInt8] = [layout, 0, 1, 9, 0, 0, 1, 0, 0, 7] + Array(#"{"n":1}"#.utf8)
            var entry = PendingChange(order: 9)
            entry.sent = PendingChange.Sent(
                kind: .insert, baseVersion: nil, members: ["n": 1], revision: nil)
            #expect(try PendingChange(decoding: bytes, id: "a") == entry)
        }
        for layout in [1, 2] as [UInt8] {
            var row = RowReader(
                [layout, 1, 1, 1, 4, 0x4D, 0x67, 0x3D, 0x3D, 7] + Array(#"{"n":1}"#.utf8),
                place: "a state")
            let state = try BaseItem(from: &row)
            #expect(state == BaseItem(presence: .live, version: "Mg==", members: ["n": 1]))
        }
    }

    @Test func `keep members as text that are larger than a document may be`() throws {
        let text = String(repeating: "x", count: JSONLimits.default.sizeMax)
        let state = BaseItem(presence: .live, version: "1", members: ["text": .string(text)])
        var row = RowWriter()
        state.write(to: &row)
        #expect(row.bytes.first == 2)
        var reader = RowReader(row.bytes, place: "a state")
        let read = try BaseItem(from: &reader)
        #expect(read.members?["text"]?.stringValue?.utf8.count == text.utf8.count)
        var entry = PendingChange(order: 9)
        entry.sent = PendingChange.Sent(
            kind: .insert, baseVersion: nil, members: state.members ?? [:], revision: nil)
        let bytes = entry.encoded()
        #expect(bytes.first == 2)
        #expect(try PendingChange(decoding: bytes, id: "a") == entry)
    }

    @Test func `with damaged members are an error`() {
        for packed in [[0x41], [0x89, 1, 9, 1, 0x6E, 0x41], [], [0x89, 1, 3, 1, 0x6E]] as [[UInt8]]
        {
            var row = RowReader(
                [3, 1, 1, 0, UInt8(packed.count)] + packed, place: "a state")
            #expect(throws: DatabaseError.self) { try BaseItem(from: &row) }
        }
    }

    @Test func `of layout 1 are read, too`() throws {
        let bytes: [UInt8] = [
            1, 1, 1, 1, 4, 0x4D, 0x67, 0x3D, 0x3D, 7, 0x7B, 0x22, 0x6E, 0x22, 0x3A, 0x31, 0x7D,
        ]
        var row = RowReader(bytes, place: "a row")
        let state = try BaseItem(from: &row)
        #expect(state == BaseItem(presence: .live, version: "Mg==", members: ["n": 1]))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
