import Settle
import TestSupport
import Testing

@testable import SettleSync

/// What is pushed is packed, and compared by its bytes; as values it comes to the same.
@Suite struct `Pushed members in either form` {
    private static let names = [
        "n", "text", "größe", "gro\u{308}ße", "K", "\u{212A}", "_attachments", "",
    ]

    private static let values: [JSONValue] = [
        1, 1.0, 9_007_199_254_740_993, 9_007_199_254_740_992.0, "a", .null, [:], [1, .null],
        ["a": .null], ["a": 1],
    ]

    private static func members(_ random: inout SeededGenerator) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            guard let name = names.randomElement(using: &random) else { continue }
            members[name] = values.randomElement(using: &random)
        }
        return members
    }

    /// Members of an item that were perhaps edited, or shown by a server that leaves out and rounds.
    private static func altered(
        _ members: [String: JSONValue], _ random: inout SeededGenerator
    ) -> [String: JSONValue] {
        var members = members
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            guard let name = names.randomElement(using: &random) else { continue }
            members[name] =
                Bool.random(using: &random) ? values.randomElement(using: &random) : nil
        }
        return members
    }

    private static func forms(_ members: [String: JSONValue]) throws -> [JSONForm] {
        [.value(.object(members)), .packed(try PackedValue(.object(members)))]
    }

    private static func states(
        _ members: [String: JSONValue], nullMayMeanAbsent: Bool, unshown: Set<String> = []
    ) throws -> [BaseItem] {
        try forms(members).map { form in
            var state = BaseItem(presence: .live, version: "1", form: form)
            state.nullMayMeanAbsent = nullMayMeanAbsent
            state.unshown = unshown
            return state
        }
    }

    @Test func `stay packed when no attachments are described, and say the same`() throws {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let members = Self.members(&random)
            let packed = try PackedValue(.object(members))
            let plain = RemoteItem(id: "a", version: "1", members: members)
            for isDeleted in [false, true] {
                for isPrepared in [false, true] {
                    let item = RemoteItem(
                        id: "a", version: "1", isDeleted: isDeleted, packed: packed,
                        isPrepared: isPrepared)
                    for isTrue in [true, false] {
                        let described = item.describingAttachments(isTrue)
                        let expected = plain.describingAttachments(isTrue).members
                        #expect(described.members == expected, "\(random)")
                        // Only what is described as attachments and may not be is taken away as a value.
                        let isKept = isTrue || members[AttachmentMember.name] == nil
                        if isKept { #expect(described.form.packed != nil, "\(random)") }
                        #expect(
                            BaseItem(described).carriesAttachments
                                == (AttachmentMember.attachments(in: expected) != nil),
                            "\(random)")
                    }
                }
            }
        }
    }

    @Test func `have the same changed names`() throws {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let base = Self.members(&random)
            let sent = Self.altered(base, &random)
            let unshown = Set(base.keys.filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
            let bases = try Self.states(base, nullMayMeanAbsent: false, unshown: unshown)
            var expected = Set(base.keys).union(sent.keys)
            if sent[AttachmentMember.name] == nil, AttachmentMember.attachments(in: base) != nil {
                expected.remove(AttachmentMember.name)
            }
            expected = expected.filter { base[$0] != sent[$0] || unshown.contains($0) }
            for (state, form) in zip(bases, try Self.forms(sent)) {
                let operation = RemoteOperation(
                    id: "a",
                    sent: PendingChange.Sent(
                        kind: .update, baseVersion: "1", form: form, revision: nil), base: state)
                #expect(operation.changedNames == expected, "\(random)")
                #expect(operation.members == sent)
            }
        }
    }

    @Test func `are the same states after an answer, and equal the same documents`() throws {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let sent = Self.members(&random)
            let isTable = Bool.random(using: &random)
            let shown = try Self.states(
                Self.altered(sent, &random), nullMayMeanAbsent: isTable)
            let base = try Self.states(Self.altered(sent, &random), nullMayMeanAbsent: isTable)
            let forms = try Self.forms(sent)
            let states = (0..<2).map { shown[$0].answered(to: forms[$0], over: base[$0]) }
            #expect(states[0] == states[1], "\(random)")
            var own = sent
            own[AttachmentMember.name] = nil
            let packed = Document(id: "a", packed: try PackedValue(.object(own)))
            var unpacked = Document(id: "a")
            for (name, value) in own { unpacked[json: name] = value }
            for state in shown + states {
                let here = unpacked.members(withAttachments: state.carriesAttachments)
                let isEqual = state.members == here
                let isLike =
                    isEqual || isTable && state.members?.withoutNulls == here.withoutNulls
                for document in [packed, unpacked] {
                    #expect(state.isEqual(to: document) == isEqual, "\(random)")
                    #expect(state.isLike(document) == isLike, "\(random)")
                }
            }
        }
    }

    @Test func `are the document's members with its attachments`() throws {
        let attachment = try DocumentAttachment(
            name: "a.txt", contentType: "text/plain", length: 3,
            digest: String(repeating: "0a", count: 32))
        for attachments in [[], [attachment]] {
            var document = Document(id: "a", packed: try PackedValue(["n": 1, "z": "x"]))
            document.attachments = attachments
            for withAttachments in [false, true] {
                let form = document.form(withAttachments: withAttachments)
                #expect(form.packed != nil)
                #expect(
                    form.value.objectValue == document.members(withAttachments: withAttachments))
            }
        }
    }
}
