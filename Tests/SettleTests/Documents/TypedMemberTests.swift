import Foundation
import Settle
import Testing

/// Members of documents by their types.
@Suite struct `Typed members` {
    enum Colour: String, Codable { case red, green }
    enum Plain: Int { case one = 1 }
    struct Size: Codable, Equatable { var width: Double }

    @Test func `read every number as a double, and whole ones as integers`() {
        let document: Document = ["a": 3, "b": 4.0, "c": 4.5, "d": "5", "e": NSNull()]
        #expect(document["a", as: Double.self] == 3)
        #expect(document["b", as: Int.self] == 4)
        #expect(document["c", as: Double.self] == 4.5)
        #expect(document["c", as: Int.self] == nil)
        #expect(document["d", as: Int.self] == nil)
        #expect(document["e", as: Int.self] == nil)
        #expect(document["f", as: Int.self] == nil)
    }

    @Test func `take enumerations, decimals, data and structs as models write them`() throws {
        var document: Document = [
            "colour": Colour.red, "plain": Plain.one, "amount": Decimal(string: "1.5"),
            "data": Data([1, 2]), "size": Size(width: 2), "list": [Colour.red, .green],
            "inner": ["colour": Colour.green] as [String: Any],
        ]
        #expect(document[json: "colour"] == "red")
        #expect(document[json: "plain"] == 1)
        #expect(document[json: "amount"] == "1.5")
        #expect(document[json: "data"] == "AQI=")
        #expect(document[json: "size"] == ["width": 2.0])
        #expect(document[json: "list"] == ["red", "green"])
        #expect(document[json: "inner"] == ["colour": "green"])
        #expect(document["colour", as: Colour.self] == .red)
        #expect(document["amount", as: Decimal.self] == Decimal(string: "1.5"))
        #expect(document["data", as: Data.self] == Data([1, 2]))
        #expect(document["size", as: Size.self] == Size(width: 2))
        document["size", as: Size.self] = Size(width: 3)
        document["colour", as: Colour.self] = nil
        #expect(document[json: "size"] == ["width": 3.0])
        #expect(document[json: "colour"] == nil)
        let day = Date(timeIntervalSince1970: 0)
        document["day", as: Date.self] = day
        #expect(document.string("day") == "1970-01-01T00:00:00.000Z")
        #expect(document["day", as: Date.self] == day)
    }
}
