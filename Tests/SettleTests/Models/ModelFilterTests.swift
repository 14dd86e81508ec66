import Foundation
import Settle
import Testing

/// What filters of models ask of single documents, and what they cannot ask.
@Suite struct `Filters of models` {
    struct Visit: DocumentModel {
        static let documentType = "visit"
        static let memberNames = ["odd": "$odd"]

        enum CodingKeys: String, CodingKey {
            case id, technician, minutes, tags, price, cost
            case odd = "$odd"
        }

        var id: String
        var technician: String?
        var minutes: Int?
        var tags: [String]?
        var price: Double?
        var cost: Decimal?
        var odd: String?
    }

    private func document(_ members: [String: JSONValue]) -> Document {
        var document: Document = ["id": "1", "type": "visit"]
        for (name, value) in members { document[json: name] = value }
        return document
    }

    private static let orders: [ModelFilter<Visit>] = [
        \.minutes < 30, \.minutes <= 30, \.minutes > 30, \.minutes >= 30,
    ]

    @Test(arguments: orders)
    func `nil stands in no order to a number, be it null or absent`(
        filter: ModelFilter<Visit>
    ) throws {
        for members in [["minutes": .null], [:]] as [[String: JSONValue]] {
            #expect(try !filter.indexFilter.matches(document(members)))
            #expect(try (!filter).indexFilter.matches(document(members)))
        }
    }

    @Test func `one of several arrays is the whole array`() throws {
        let filter = (\Visit.tags).isOne(of: [["a", "b"], []])
        #expect(try filter.indexFilter.matches(document(["tags": ["a", "b"]])))
        #expect(try filter.indexFilter.matches(document(["tags": []])))
        #expect(try !filter.indexFilter.matches(document(["tags": ["a"]])))
        #expect(try !filter.indexFilter.matches(document([:])))
    }

    @Test func `one of several with nil is null, too`() throws {
        let filter = (\Visit.technician).isOne(of: [nil, "Ann"])
        for value in [.null, "Ann"] as [JSONValue] {
            #expect(try filter.indexFilter.matches(document(["technician": value])))
        }
        #expect(try filter.indexFilter.matches(document([:])))
        #expect(try !filter.indexFilter.matches(document(["technician": "Bob"])))
    }

    @Test func `chains may be long`() throws {
        let never = (\Visit.technician).isOne(of: [])
        var (any, none) = (never, !never)
        for minutes in 0..<1_000 {
            any = any || \.minutes == minutes
            none = none && \.minutes != minutes
        }
        for (minutes, isIn) in [(999, true), (1_000, false)] {
            let document = document(["minutes": .integer(Int64(minutes))])
            #expect(try any.indexFilter.matches(document) == isIn)
            #expect(try none.indexFilter.matches(document) == !isIn)
        }
    }

    /// An order as generic code asks for it.
    private static func isLess<Value: Encodable>(
        _ path: KeyPath<Visit, Value>, _ value: Value
    ) -> ModelFilter<Visit> {
        path < value
    }

    private static func nested() -> ModelFilter<Visit> {
        var filter: ModelFilter<Visit> = \.minutes == 0
        for minutes in 0..<300 {
            filter = filter && \.minutes != minutes
            filter = filter || \.minutes == minutes
        }
        return filter
    }

    private static let impossible: [(ModelFilter<Visit>, String)] = [
        (\.odd == "x", "'$'"),
        (isLess(\.cost, Decimal(9)), "Decimals"),
        (!isLess(\.cost, Decimal(9)), "Decimals"),
        (\.minutes == 1 && \.odd == "x", "'$'"),
        (\.minutes == 1 || \.odd == "x", "'$'"),
        (nested(), "nested"),
    ]

    @Test(arguments: impossible)
    func `that cannot be asked say why`(filter: ModelFilter<Visit>, part: String) throws {
        let error = #expect(throws: DatabaseError.self) { try filter.indexFilter }
        #expect(error?.code == .invalidIndex)
        #expect(error?.message.contains(part) == true)
    }
}
