import Foundation
import SettleOData
import SettleSync
import Testing

@testable import SettleREST

@Suite struct `OData predicate as a tree` {
    /// What a version has words for, and no spelling of its own.
    private static let predicates: [ODataPredicate] = [
        .field("a") == 1 && (.field("b") != nil && .field("c") > 2.5),
        .field("a") == 1 || (.field("b") == "it's" || .field("c") <= -1),
        !(.field("a").startsWith("x")) && !(.field("eq").hasElements),
        .field("name").contains("x") && .field("name").lowercased.endsWith(.field("b")),
        .field("address/city") == .field("address").field("zip"),
        .field("a") - (.field("b") - 2) * 3 > .field("c") % 5 / 2,
        .field("at") >= Date(timeIntervalSince1970: 1_616_590_244.345_678),
        .field("id") == UUID(),
        .field("parts").any { part in part.field("tags").any { $0 == part.field("name") } },
        .field("a").replacing("x", with: "y").substring(from: 1, length: 2).length == 3,
        .field("at").year == 2021 && .field("n").ceiling == 2,
    ]

    @Test(arguments: predicates)
    func `is what a server reads of its text`(predicate: ODataPredicate) throws {
        for version in [ODataVersion.v3, .v4] {
            let text = try predicate.text(for: version)
            #expect(
                try ODataParser.filter(text, dialect: version.dialect) == predicate.node, "\(text)")
        }
    }

    @Test(
        arguments: [
            .field("due") >= .day(year: 2026, month: 11, day: 21),
            .field("at").isIn([.timeOfDay(hour: 7, minute: 14, second: 0)]),
            .field("a").isIn([1, 2]) && .field("n").rounded == 2,
        ] as [ODataPredicate])
    func `is what a server of version 4 reads of its text`(predicate: ODataPredicate) throws {
        let text = try predicate.text(for: .v4)
        #expect(try ODataParser.filter(text, dialect: .version4) == predicate.node, "\(text)")
    }

    @Test func `that cannot be written is a mistake of the app, which is told in a sentence`() {
        let error = #expect(throws: ReplicationError.self) {
            try (ODataPredicate.field("a b") == 1).text(for: .v4)
        }
        #expect(error?.code == .misconfigured)
        #expect(
            error?.message.hasPrefix("A filter cannot name the column 'a b': names are") == true)
    }
}
