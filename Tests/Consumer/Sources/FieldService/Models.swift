import Foundation
import Settle

/// Somebody who visits customers.
struct Technician: DocumentModel {
    static let documentType = "technician"

    var id: String
    var name: String
    var channels: [String]

    init(_ id: String, name: String) {
        self.id = id
        self.name = name
        channels = [Self.channel(of: id)]
    }

    /// The channel of everything that a technician gets to see.
    static func channel(of id: String) -> String { "technician-\(id)" }
}

/// A visit of a technician to a customer.
struct Visit: DocumentModel, Equatable {
    static let documentType = "visit"

    enum Status: String, Codable { case planned, done }

    struct Address: Codable, Hashable {
        var street: String
        var city: String
    }

    var id = UUID().uuidString
    var customer: String
    var address: Address
    var technician: String
    var planned: Date
    var status = Status.planned
    var minutes: Double?
    var note: String?
    var invoice: String?
    var channels: [String]

    init(_ customer: String, in city: String, by technician: String, after hours: Double) {
        self.customer = customer
        address = Address(street: "Main street 1", city: city)
        self.technician = technician
        planned = Date(timeIntervalSince1970: 1_800_000_000 + hours * 3_600)
        channels = [Technician.channel(of: technician)]
    }

    /// Gives the visit to another technician, and so into another channel.
    mutating func assign(to other: String) {
        technician = other
        channels = [Technician.channel(of: other)]
    }
}

/// The indexes of every device.
enum Indexes {
    /// The visits of a technician, in the order of their dates.
    static let agenda = Database.Index.keyPaths(
        Visit.self, name: "agenda", keys: [\.technician, \.planned], filter: \.status == .planned)

    /// How many visits there are in each city.
    static let cities = Database.Index.keyPaths(
        Visit.self, name: "cities", keys: [\.address.city], reduce: .count)

    /// How many minutes each technician worked.
    static let minutes = Database.Index.models(
        Visit.self, name: "minutes", version: "1", filter: \.status == .done,
        typedReduce: .init(Double.self) { $0.reduce(0, +) }
    ) { visit, rows in
        try rows.emit(visit.technician, value: visit.minutes)
    }

    static let all: [any Indexer] = [agenda, cities, minutes]
}
