import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleSync

/// What was sent comes back with the next pull; then the note of its base is written alone.
@Suite struct `A base that is shown again` {
    private static func state(_ random: inout SeededGenerator) -> BaseItem {
        var members: [String: JSONValue] = ["n": .integer(Int64.random(in: 0...1, using: &random))]
        if Bool.random(using: &random) { members[AttachmentMember.name] = [:] }
        var state = BaseItem(
            presence: Int.random(in: 0..<8, using: &random) == 0 ? .deleted : .live,
            version: ["MQ==", "Mg==", nil].randomElement(using: &random) ?? nil, members: members)
        state.updated = Date(
            timeIntervalSince1970: Double.random(in: 0...9, using: &random).rounded())
        state.source = [0, 7, 8].randomElement(using: &random) ?? 0
        state.nullMayMeanAbsent = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<4, using: &random) == 0 { state.unshown = ["n"] }
        return state
    }

    @Test func `has the query that shows it, and is otherwise what it was`() async throws {
        let device = try await Device()
        var random = SeededGenerator()
        var notedCount = 0
        for _ in 0..<400 {
            let (known, first) = (Self.state(&random), Self.state(&random))
            // Mostly the same item, as a query shows it.
            var shown = Bool.random(using: &random) ? known : first
            shown.source = [0, 7, 8].randomElement(using: &random) ?? 0
            shown.unshown = []
            if Bool.random(using: &random) { shown.version = known.version }
            let (seed, item) = (random, shown)
            let isNoted = try await device.database.write { transaction -> Bool in
                let record = try RemoteRecord.findOrMake("r", in: transaction)
                let tables = try RemoteTables(record, writingIn: transaction)
                var document = Document(id: "a")
                document[json: "n"] = known.members?["n"]
                _ = try transaction.store(document, from: "r")
                try tables.setBase(known, "a")
                let isNoted = try tables.showAgain(item, "a")
                let base = try tables.base("a")
                guard isNoted else {
                    #expect(base == known, "\(seed)")
                    return false
                }
                var expected = known
                (expected.source, expected.updated) = (item.source, item.updated)
                #expect(base == expected, "\(seed)")
                #expect(base == item && known.version != nil, "\(seed)")
                return true
            }
            if isNoted { notedCount += 1 }
        }
        #expect(notedCount > 20)
    }
}
