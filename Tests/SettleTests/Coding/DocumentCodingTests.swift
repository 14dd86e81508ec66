import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Documents and Codable` {
    struct Order: Codable, Equatable, Sendable {
        struct Address: Codable, Equatable, Sendable {
            var city: String
            var zip: Int?
        }
        var id: String
        var amount: Int
        var price: Double
        var ordered: Date
        var link: URL
        var token: UUID
        var blob: Data
        var total: Decimal
        var tags: [String]
        var address: Address?
    }

    private func order(_ id: String = "a") throws -> Order {
        Order(
            id: id, amount: .max, price: 0.1,
            ordered: Date(timeIntervalSince1970: 1_700_000_000.125),
            link: try #require(URL(string: "https://example.org/a?b=c")), token: UUID(),
            blob: Data([0, 1, 255]), total: try #require(Decimal(string: "12.345678901234567890")),
            tags: ["x", "y"], address: Order.Address(city: "Bern", zip: nil))
    }

    @Test func `a value goes in and comes out as it was`() async throws {
        try await withDatabase { database async throws in
            let order = try order()
            let saved = try await database.save(Document(encoding: order))
            #expect(saved.id == "a")
            #expect(try await database.fetchDocument("a")?.decode(Order.self) == order)
            let document = try #require(try await database.fetchDocument("a"))
            #expect(document["ordered"] as? Date == order.ordered)
            #expect(document.string("ordered") == "2023-11-14T22:13:20.125Z")
            #expect(document.string("blob") == "AAH/")
            #expect(document[json: "id"] == "a" && document.json["id"] == nil)
            #expect(document[json: "address"] == ["city": "Bern"])
        }
    }

    @Test func `edits that are not saved count, and only the outermost id is the document's`()
        async throws
    {
        struct Nested: Decodable, Equatable {
            struct Inner: Decodable, Equatable { var id: Int? }
            var id: String
            var n: Int
            var inner: Inner
        }
        try await withDatabase { database async throws in
            var document = try await database.save(
                ["id": "a", "n": 1, "inner": ["id": 7] as [String: Any]])
            document["n"] = 2
            #expect(
                try document.decode(Nested.self)
                    == Nested(id: "a", n: 2, inner: Nested.Inner(id: 7)))
            let all = try document.decode([String: JSONShape].self)
            #expect(Set(all.keys) == ["id", "n", "inner"])
        }
    }

    /// Takes anything.
    private struct JSONShape: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test func `what does not fit is an error with its path`() async throws {
        let document: Document = ["id": "a", "amount": "12"]
        struct Amount: Decodable { var amount: Int }
        let error = #expect(throws: DecodingError.self) { try document.decode(Amount.self) }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["amount"])
    }

    @Test func `what is no object, or has an id that is no string, is no document`() {
        struct Numbered: Encodable { var id = 7 }
        for value in [[1, 2] as any Encodable, "x", Numbered()] {
            let error = #expect(throws: DatabaseError.self) { try Document(encoding: value) }
            #expect(error?.code == .invalidDocument)
        }
        struct Infinite: Encodable { var n = Double.infinity }
        #expect(throws: EncodingError.self) { try Document(encoding: Infinite()) }
    }

    @Test(arguments: [1, 15, 16, 63, 64, 65, 255])
    func `an identifier of any length is decoded`(length: Int) throws {
        struct Named: Codable { var id: String }
        let id =
            String(repeating: "ä", count: length / 2)
            + String(repeating: "x", count: length % 2)
        #expect(try Document(encoding: Named(id: id)).decode(Named.self).id == id)
    }

    @Test func `without an id the factory gives one`() throws {
        struct Plain: Codable { var n = 1 }
        let document = try Document(encoding: Plain())
        #expect(UUID(uuidString: document.id) != nil)
        #expect(try document.decode(Plain.self).n == 1)
    }

    private struct Priced: Codable { var price: Decimal }

    private func price(_ json: JSONValue) throws -> Decimal {
        var document = Document(id: "a")
        document[json: "price"] = json
        return try document.decode(Priced.self).price
    }

    @Test func `a decimal has the digits of the number in the document`() throws {
        let expected: [(JSONValue, String)] = [
            (.double(4.95), "4.95"), (.double(0.1), "0.1"), (.double(-1e21), "-1e21"),
            (.integer(.max), "9223372036854775807"), ("12.50", "12.5"), ("-1.5E+2", "-150"),
            (".5", "0.5"), ("7.", "7"),
        ]
        for (json, text) in expected {
            #expect(try price(json) == Decimal(string: text))
        }
    }

    @Test(arguments: ["12abc", "12,50", "", " 1", "1 ", "-", ".", "1e", "0x10", "NaN", "1.2.3"])
    func `a text that is no number as a whole is no decimal`(text: String) {
        #expect(throws: DecodingError.self) { try price(.string(text)) }
    }

    @Test func `a number that no decimal can be is none`() {
        #expect(throws: DecodingError.self) { try price(.double(1e300)) }
    }
}
