import Testing

@testable import SettleCosmos

@Suite struct `Positions in a change feed` {
    @Test func `read what was merged from the beginning`() throws {
        var position = Cosmos.ChangePosition(
            collectionId: "c",
            parts: [
                .init(scope: .range("0"), place: .after("5"), isPending: false),
                .init(scope: .range("1"), place: .after("9"), isPending: false),
                .init(scope: .range("2"), place: .after("7"), isPending: false),
            ])
        position.follow([
            .init(id: "3", lower: "", upper: "50", parents: ["0", "1"]),
            .init(id: "4", lower: "50", upper: "70", parents: ["2"]),
            .init(id: "5", lower: "70", upper: "FF", parents: ["2"]),
        ])
        #expect(
            position.parts == [
                .init(scope: .range("4"), place: .after("7")),
                .init(scope: .range("5"), place: .after("7")),
                .init(scope: .range("3"), place: .beginning),
            ])
    }

    @Test func `are read as earlier releases wrote them`() throws {
        let text =
            #"c1:{"collection":"1KtjAImkcgw=","#
            + #""parts":[{"after":"\"17\"","range":"1","session":"1:-1#17"},"#
            + #"{"key":"[\"a\",1]","pending":true,"since":1700000000},{"now":true,"range":"0"}]}"#
        let position = try #require(Cosmos.ChangePosition(text))
        #expect(position.text == text)
        #expect(
            position
                == Cosmos.ChangePosition(
                    collectionId: "1KtjAImkcgw=",
                    parts: [
                        .init(
                            scope: .range("1"), place: .after("\"17\""), session: "1:-1#17",
                            isPending: false),
                        .init(
                            scope: .key(.init(components: [.string("a"), .number(1)])),
                            place: .since(1_700_000_000)),
                        .init(scope: .range("0"), place: .now, isPending: false),
                    ]))
    }

    @Test func `are the same after they were text`() throws {
        let keys: [Cosmos.PartitionKey] = [
            "a \"b\" ü", 1.5, true, .null, .undefined, .init("tenant", "user"),
        ]
        let places: [Cosmos.ChangePosition.Place] = [
            .beginning, .now, .since(1_700_000_000), .after("\"17\""),
        ]
        let scopes: [Cosmos.ChangePosition.Scope] = [.range("0")] + keys.map { .key($0) }
        for scope in scopes {
            for place in places {
                for isPending in [true, false] {
                    let position = Cosmos.ChangePosition(
                        collectionId: "abc==",
                        parts: [.init(scope: scope, place: place, isPending: isPending)])
                    #expect(Cosmos.ChangePosition(position.text) == position)
                }
            }
        }
    }
}
