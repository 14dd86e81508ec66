import Foundation
import Settle
import TestSupport
import Testing

/// Key paths of a model, in indexes and filters.
@Suite struct `Key paths of models` {
    struct Visit: DocumentModel, Equatable {
        static let documentType = "visit"
        static let memberNames = ["minutes": "duration", "address.place": "town"]

        enum Status: String, Codable, Sendable { case planned, done }

        struct Address: Codable, Equatable, Sendable {
            enum CodingKeys: String, CodingKey {
                case street
                case place = "town"
            }
            var street: String?
            var place: String
        }

        enum CodingKeys: String, CodingKey {
            case id, technician, status, address, price, date
            case minutes = "duration"
        }

        var id: String
        var technician: String?
        var status = Status.planned
        var minutes: Int?
        var address: Address?
        var price: Double?
        var date: Date?
    }

    private static let visits = [
        Visit(id: "1", technician: "Ann", status: .done, minutes: 30, price: 3),
        Visit(
            id: "2", technician: "Ann", minutes: 45, address: .init(place: "Bern"), price: 3.5,
            date: Date(timeIntervalSince1970: 0)),
        Visit(
            id: "3", technician: "Bob", status: .done, address: .init(street: "A", place: "Basel")),
        Visit(id: "4", status: .done, minutes: 5, price: 4),
    ]

    /// The visits, and documents of other types that look like them.
    private func fill(_ database: Database) async throws {
        for visit in Self.visits { try await database.add(visit) }
        try await database.save(["id": "x", "type": "other", "technician": "Ann", "duration": 1])
        try await database.save(["id": "y", "technician": "Ann", "status": "done"])
    }

    @Test func `lead to members, also under other names and inside objects`() async throws {
        let index = Database.Index.keyPaths(
            Visit.self, name: "i", keys: [\.technician, \.address?.place], value: \.minutes,
            reduce: .sum)
        #expect(index.declaration?.keys == [["technician"], ["address", "town"]])
        #expect(index.declaration?.value == ["duration"])
        #expect(index.declaration?.filter == ["type": "visit"])
        try await withDatabase(indexes: [index]) { database in
            try await fill(database)
            let rows = try await database.runQuery(on: "i", with: grouped(1)).map {
                ($0.keyJSON, try $0.value(as: Int?.self))
            }
            #expect(rows.map(\.0) == [["Ann"], ["Bob"]])
            #expect(rows.map(\.1) == [75, 0])
        }
    }

    private func grouped(_ level: UInt) -> QueryByKeyRange {
        var range = QueryByKeyRange()
        range.groupLevel = level
        return range
    }

    private static let filters: [(ModelFilter<Visit>, [String])] = [
        (\Visit.status == .done, ["1", "3", "4"]),
        (\Visit.status != .done, ["2"]),
        (\Visit.minutes > 5, ["1", "2"]),
        (\Visit.minutes >= 5, ["1", "2", "4"]),
        (\Visit.minutes < 30, ["4"]),
        (\Visit.minutes <= 30, ["1", "4"]),
        (!(\Visit.minutes < 30), ["1", "2", "3"]),
        (\Visit.minutes == nil, ["3"]),
        (\Visit.minutes != nil, ["1", "2", "4"]),
        (\Visit.minutes != 30, ["2", "3", "4"]),
        (!(\Visit.minutes == 30), ["2", "3", "4"]),
        (!(\Visit.minutes != 30), ["1"]),
        (\Visit.address?.place == "Bern", ["2"]),
        (\Visit.date == Date(timeIntervalSince1970: 0), ["2"]),
        (\Visit.price == 3, ["1"]),
        (\Visit.status == .done && \Visit.technician == "Ann", ["1"]),
        (\Visit.technician == "Bob" || \Visit.minutes == 5, ["3", "4"]),
        ((\Visit.technician).isOne(of: ["Ann", "Bob"]), ["1", "2", "3"]),
        (!(\Visit.technician).isOne(of: ["Ann"]), ["3", "4"]),
        (!(\Visit.technician == nil || \Visit.minutes == nil), ["1", "2"]),
        (!(\Visit.technician == "Ann" && \Visit.minutes > 30), ["1", "3", "4"]),
        ((\Visit.technician).isOne(of: [nil, "Bob"]), ["3", "4"]),
        (!(\Visit.technician).isOne(of: [nil, "Bob"]), ["1", "2"]),
        ((\Visit.technician).isOne(of: []), []),
        (!(\Visit.technician).isOne(of: []), ["1", "2", "3", "4"]),
        (\Visit.price < .infinity, ["1", "2", "4"]),
        (!(\Visit.price < .infinity), ["3"]),
        (\Visit.price >= -.infinity, ["1", "2", "4"]),
        (\Visit.price > .infinity, []),
        (\Visit.price == .infinity, []),
        (\Visit.price < .nan, []),
        (\Visit.price == .nan, []),
        (\Visit.price != .nan, ["1", "2", "3", "4"]),
    ]

    @Test(arguments: filters)
    func `pick documents as Swift would`(filter: ModelFilter<Visit>, ids: [String]) async throws {
        let index = Database.Index.models(
            Visit.self, name: "i", version: "1", filter: filter
        ) { visit, rows in try rows.emit(visit.id) }
        try await withDatabase(indexes: [index]) { database in
            try await fill(database)
            #expect(try await database.fetchAll(Visit.self, where: filter).map(\.id) == ids)
            #expect(try await database.fetchAll(Visit.self, on: "i").map(\.id) == ids)
        }
    }

    @Test func `of an index by code leave other documents alone`() async throws {
        let index = Database.Index.models(
            Visit.self, name: "i", version: "1",
            typedReduce: .init(Double.self) { $0.reduce(0, +) }
        ) { visit, rows in try rows.emit(visit.technician, value: visit.price) }
        try await withDatabase(indexes: [index]) { database in
            try await fill(database)
            try await database.save(["id": "z", "type": "visit"])
            let total = try await database.runQuery(on: "i").first
            #expect(try total?.value(as: Double.self) == 6.5)
            let list = try await database.fetchAll(Visit.self, on: "i")
            #expect(list.map(\.id) == ["1", "2", "3"])
            let all = try await database.fetchAll(Visit.self)
            #expect(all.unreadable.map(\.document.id) == ["z"])
        }
    }

    #if os(Linux) || os(macOS)
        struct Renamed: DocumentModel {
            static let documentType = "renamed"
            enum CodingKeys: String, CodingKey {
                case id
                case name = "n"
            }
            var id: String
            var name: String
            var upper: String { name.uppercased() }
        }

        @Test func `that are written under another name must be told`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(Renamed.self, name: "i", keys: [\.name])
            }
        }

        @Test func `must lead over stored properties`() async {
            await #expect(processExitsWith: .failure) {
                _ = Database.Index.keyPaths(Renamed.self, name: "i", keys: [\.upper])
            }
        }
    #endif
}
