import Settle
import SettleOData
import SettleTableProtocol
import TestSupport
import Testing

@testable import SettleServer

/// Items of a list are written without a look at their members before; damage is found on the way.
@Suite struct `Damaged members of a list` {
    private static func item(_ members: PackedValue) throws -> TableItem {
        TableItem(
            id: "chosen", members: try #require(ItemMembers(packed: members)),
            createdAt: Instant(ticks: 0), updatedAt: Instant(ticks: 0), version: "v",
            isDeleted: false)
    }

    @Test func `are an error with the item's id, or make text that is still Unicode`() throws {
        let whole = try PackedValue([
            "a": "plain", "é": ["ü", 1, 2.5, .null, ["x": true]], "z": 1_000_000, "list": [],
        ]).bytes
        var (written, refused) = (0, 0)
        for place in whole.indices {
            for byte in [UInt8](0...255) {
                var bytes = whole
                bytes[place] = byte
                guard let members = ItemMembers(packed: PackedValue(stored: bytes)) else {
                    continue
                }
                var item = try Self.item(PackedValue(stored: whole))
                item.members = members
                var text: [UInt8] = []
                do {
                    _ = try members.measuredSize()
                    try item.writeChecking(in: TableDialect.version2.form, to: &text)
                    #expect(String(validating: text, as: UTF8.self) != nil)
                    written += 1
                } catch let error as DatabaseError {
                    #expect(error.code == .corrupted && error.documentId == "chosen")
                    refused += 1
                } catch is PackedError {
                    refused += 1
                }
            }
        }
        #expect(written >= whole.count && refused > 1_000)
    }

    @Test func `are refused by the text of a page and by no trap`() throws {
        var bytes = try PackedValue(["a": "plain text"]).bytes
        bytes[bytes.count - 3] = 0xFF
        let item = try Self.item(PackedValue(stored: bytes))
        let sink = ItemsText(
            .version2, memory: SharedCapacity(total: 1 << 20), for: Identity.unlimited.sender)
        var collector = PageCollector(
            request: PageRequest(top: 5), identity: .unlimited, isOrdered: true, into: sink)
        #expect(collector.onlyWritesMembers)
        let error = #expect(throws: DatabaseError.self) { try collector.collect(item) }
        #expect(error?.code == .corrupted && error?.documentId == "chosen")
    }

    @Test func `are looked for before where a filter, an order or a channel reads them`() throws {
        func onlyWrites(
            _ change: (inout PageRequest) throws -> Void, identity: Identity = .unlimited,
            isOrdered: Bool = true
        ) throws -> Bool {
            var request = PageRequest(top: 5)
            try change(&request)
            let sink = ItemsText(
                .version2, memory: SharedCapacity(total: 1 << 20), for: identity.sender)
            return PageCollector(
                request: request, identity: identity, isOrdered: isOrdered, into: sink
            ).onlyWritesMembers
        }
        #expect(try onlyWrites { _ in })
        #expect(try !onlyWrites({ _ in }, isOrdered: false))
        #expect(
            try !onlyWrites { $0.filter = try ODataParser.filter("n eq 1", dialect: .version4) })
        #expect(
            try !onlyWrites(
                { _ in }, identity: Identity(subject: "s", readable: ["a"], writable: nil)))
        #expect(
            !PageCollector(
                request: PageRequest(top: 5), identity: .unlimited, isOrdered: true
            ).onlyWritesMembers)
    }
}
