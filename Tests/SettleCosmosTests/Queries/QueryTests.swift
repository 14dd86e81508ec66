import Foundation
import Settle
import Testing

@testable import SettleCosmos

@Suite struct `Queries` {
    private let place = Cosmos.Point(latitude: 1, longitude: 2)

    @Test func `are written as AzureData writes them`() {
        #expect(Cosmos.Query().text == "SELECT * FROM Document")
        #expect(
            Cosmos.Query.select().from("Document").where(
                distanceFrom: "location", to: place, isLessThan: 3_000
            )
            .text
                == "SELECT * FROM Document WHERE ST_DISTANCE(Document.location, {'type': 'Point', 'coordinates': [2.0, 1.0]}) < 3000.0"
        )
        #expect(
            Cosmos.Query.select("firstName", "lastName").from("Person")
                .where("firstName", is: "Colby").and("age", isGreaterThanOrEqualTo: 20)
                .orderBy("lastName", descending: true).text
                == #"SELECT Person.firstName, Person.lastName FROM Person WHERE Person.firstName = "Colby" AND Person.age >= 20 ORDER BY Person.lastName DESC"#
        )
        let area = Cosmos.Polygon([
            Cosmos.Point(latitude: 0, longitude: 0), Cosmos.Point(latitude: 0, longitude: 1),
            Cosmos.Point(latitude: 1, longitude: 1),
        ])
        #expect(
            Cosmos.Query().where("location", isWithin: area).text
                == "SELECT * FROM Document WHERE ST_WITHIN(Document.location, {'type': 'Polygon', 'coordinates': [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]})"
        )
        let line = Cosmos.LineString([place, Cosmos.Point(latitude: 3, longitude: 4)])
        #expect(
            Cosmos.Query().where("path", intersects: line).text
                == "SELECT * FROM Document WHERE ST_INTERSECTS(Document.path, {'type': 'LineString', 'coordinates': [[2.0, 1.0], [4.0, 3.0]]})"
        )
    }

    @Test func `have every comparison behind where, and, or`() {
        let operators: [(String, String)] = [
            ("=", "is"), ("!=", "isNot"), (">", "isGreaterThan"), (">=", "isGreaterThanOrEqualTo"),
            ("<", "isLessThan"), ("<=", "isLessThanOrEqualTo"),
        ]
        let first = [
            Cosmos.Query().where("a", is: 1), Cosmos.Query().where("a", isNot: 1),
            Cosmos.Query().where("a", isGreaterThan: 1),
            Cosmos.Query().where("a", isGreaterThanOrEqualTo: 1),
            Cosmos.Query().where("a", isLessThan: 1),
            Cosmos.Query().where("a", isLessThanOrEqualTo: 1),
        ]
        let base = Cosmos.Query().where("b", is: true)
        let second = [
            base.and("a", is: 1), base.and("a", isNot: 1), base.and("a", isGreaterThan: 1),
            base.and("a", isGreaterThanOrEqualTo: 1), base.and("a", isLessThan: 1),
            base.and("a", isLessThanOrEqualTo: 1),
        ]
        let third = [
            base.or("a", is: 1), base.or("a", isNot: 1), base.or("a", isGreaterThan: 1),
            base.or("a", isGreaterThanOrEqualTo: 1), base.or("a", isLessThan: 1),
            base.or("a", isLessThanOrEqualTo: 1),
        ]
        for (index, (sign, _)) in operators.enumerated() {
            let condition = "Document.a \(sign) 1"
            #expect(first[index].text == "SELECT * FROM Document WHERE \(condition)")
            #expect(
                second[index].text
                    == "SELECT * FROM Document WHERE Document.b = true AND \(condition)")
            #expect(
                third[index].text
                    == "SELECT * FROM Document WHERE Document.b = true OR \(condition)")
        }
    }

    @Test func `put conditions together from left to right`() {
        let query = Cosmos.Query().where("a", is: 1).and("b", is: 2).or("c", is: 3).and("d", is: 4)
        #expect(
            query.text
                == "SELECT * FROM Document WHERE ((Document.a = 1 AND Document.b = 2) OR Document.c = 3) AND Document.d = 4"
        )
    }

    @Test func `quote whatever a path and a value hold`() {
        let hostile = "x\" OR 1=1 --\\'\n"
        #expect(
            Cosmos.Query().where("name", is: hostile).text
                == #"SELECT * FROM Document WHERE Document.name = "x\" OR 1=1 --\\'\n""#)
        #expect(
            Cosmos.Query().where("a b.order.c\"]", is: 1).text
                == #"SELECT * FROM Document WHERE Document["a b"]["order"]["c\"]"] = 1"#)
    }

    @Test func `say in with all values, and never hold with none`() {
        #expect(
            Cosmos.Query().where("city", in: ["Bern", "Berlin"]).text
                == #"SELECT * FROM Document WHERE Document.city IN ("Bern", "Berlin")"#)
        #expect(
            Cosmos.Query().where("city", in: []).text == "SELECT * FROM Document WHERE false")
    }

    @Test func `hand over values as parameters when asked`() {
        let query = Cosmos.Query().where("city", in: ["Bern", "Berlin"]).and("age", isLessThan: 3)
            .and(distanceFrom: "at", to: place, isGreaterThan: 2)
            .withParameters()
        #expect(
            query.text
                == "SELECT * FROM Document WHERE Document.city IN (@p0, @p1) AND Document.age < @p2 AND ST_DISTANCE(Document.at, {'type': 'Point', 'coordinates': [2.0, 1.0]}) > @p3"
        )
        #expect(query.parameters.map(\.name) == ["@p0", "@p1", "@p2", "@p3"])
        #expect(query.parameters.map(\.value) == ["Bern", "Berlin", 3, 2.0])
        #expect(
            query.json["parameters"]?[0] == ["name": "@p0", "value": "Bern"])
    }

    @Test func `that are written already are sent as they are`() {
        let query = Cosmos.Query.createFrom(
            queryString: "SELECT VALUE COUNT(1) FROM c WHERE c.city = @city",
            parameters: [.init("@city", "Bern")])
        #expect(
            query.json == [
                "query": "SELECT VALUE COUNT(1) FROM c WHERE c.city = @city",
                "parameters": [["name": "@city", "value": "Bern"]],
            ])
    }
}
