import Foundation
import Settle
import SettleREST
import SettleOutbox
import SettleSync

/// Something was not as the app expects it.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The core of an app for a field service: an office plans visits, technicians carry them out, often
/// without a connection, and invoices go to the cloud of another vendor.
///
/// Written with nothing but the guides. It needs a server with tokens, named by the environment:
/// `FIELD_SERVICE_SERVER`, and `FIELD_SERVICE_OFFICE`, `FIELD_SERVICE_ANN`, `FIELD_SERVICE_BOB` with the
/// token of each. It prints a line for each step, checks what it did, and ends with an error when
/// something is off.
@main
@MainActor
struct FieldService {
    private let office: Device
    private let ann: Device
    private let bob: Device
    private let server: URL
    private let folder: URL

    static func main() async {
        do {
            try await runDay()
            print("The day is over.")
        } catch {
            print(error)
            exit(EXIT_FAILURE)
        }
    }

    private static func runDay() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("field-service-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try await FieldService(in: folder)
        try await service.plan()
        try await service.failToConnect()
        try await service.workOffline()
        try await service.watchTheDay()
        try await service.report()
        try await service.invoice()
        try await service.reassign()
        await Database.prepareForShutdown()
    }

    private init(in folder: URL) async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["FIELD_SERVICE_SERVER"].flatMap(URL.init(string:)) else {
            throw Unexpected("FIELD_SERVICE_SERVER names no server.")
        }
        func device(_ name: String) async throws -> Device {
            guard let token = environment["FIELD_SERVICE_\(name.uppercased())"] else {
                throw Unexpected("FIELD_SERVICE_\(name.uppercased()) holds no token.")
            }
            return try await Device(name, token: token, server: server, folder: folder)
        }
        (office, ann, bob) = (
            try await device("office"), try await device("ann"), try await device("bob")
        )
        self.server = server
        self.folder = folder
    }

    private func expect(_ condition: Bool, _ text: String) throws {
        guard condition else { throw Unexpected("Not so: \(text)") }
        print("  \(text)")
    }

    /// The office plans the day, and each technician gets the part that is theirs.
    private func plan() async throws {
        print("Plan the day")
        try await office.database.write { transaction in
            try transaction.add(Technician("ann", name: "Ann"))
            try transaction.add(Technician("bob", name: "Bob"))
            try transaction.add(Visit("Bakery", in: "Graz", by: "ann", after: 2))
            try transaction.add(Visit("Mill", in: "Graz", by: "ann", after: 1))
            try transaction.add(Visit("School", in: "Linz", by: "bob", after: 3))
            try transaction.add(Visit("Theatre", in: "Linz", by: "bob", after: 4))
        }
        try expect(await office.replicate().pushed == 6, "The office sends six documents.")
        for (device, agenda) in [(ann, ["Mill", "Bakery"]), (bob, ["School", "Theatre"])] {
            try await device.replicate()
            try expect(await device.agenda() == agenda, "\(device.name) goes to \(agenda).")
            let technicians = try await device.database.fetchAll(Technician.self)
            try expect(technicians.map(\.id) == [device.name], "\(device.name) sees no colleague.")
        }
        let cities = try await office.database.runQuery(on: "cities", with: Self.groups)
        let counts = try cities.map { (try $0.key(as: String.self), try $0.value(as: Int.self)) }
        try expect(
            counts.elementsEqual([("Graz", 2), ("Linz", 2)], by: ==), "Two visits in each city.")
    }

    private static var groups: QueryByKeyRange {
        var query = QueryByKeyRange()
        query.group = true
        return query
    }

    /// A forged token is refused, and a server that cannot be reached is told apart from that.
    private func failToConnect() async throws {
        print("Fail to connect")
        guard let nowhere = URL(string: "http://127.0.0.1:1") else { return }
        let attempts: [(String, URL, ReplicationError.Code)] = [
            ("stranger", server, .unauthorized), ("traveller", nowhere, .unreachable),
        ]
        for (name, server, code) in attempts {
            let device = try await Device(name, token: "forged", server: server, folder: folder)
            do {
                try await device.replicate()
                throw Unexpected("\(name) replicated.")
            } catch let error as ReplicationError where error.code == code {
                print("  \(name): \(error.code)")
            }
        }
    }

    /// Ann finishes a visit without a connection, while the office changes the same visit.
    private func workOffline() async throws {
        print("Work offline")
        let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) })
        try await ann.finish("Mill", minutes: 45.5, photo: photo)
        let mill = try await office.visit(of: "Mill")
        try await office.database.update(Visit.self, id: mill.id) { visit in
            visit.address.street = "Mill lane 7"
            visit.note = "Use the back door."
        }
        try await office.replicate()
        let summary = try await ann.replicate()
        try expect(summary.conflictsResolved == 1, "Ann's device resolves the conflict.")
        try await office.replicate()
        for device in [ann, office] {
            let visit = try await device.visit(of: "Mill")
            try expect(
                visit.status == .done && visit.minutes == 45.5
                    && visit.address == Visit.Address(street: "Mill lane 7", city: "Graz")
                    && visit.note == "Use the back door.",
                "\(device.name) has what both sides wrote.")
            let content = try visit.attachments.first?.data()
            try expect(content == photo, "\(device.name) has the photo.")
        }
        let (here, there) = (try await ann.visit(of: "Mill"), try await office.visit(of: "Mill"))
        try expect(here.model == there.model, "Both have the same visit.")
    }

    /// A list in the office follows what Bob does, while both replicate.
    private func watchTheDay() async throws {
        print("Watch the day")
        let list = office.database.liveModels(Visit.self, on: "agenda")
        try expect(list.isLoading, "The list is loading.")
        await list.wait { !$0.isLoading }
        let customers = list.value?.map(\.customer) ?? []
        try expect(customers == ["Bakery", "School", "Theatre"], "The list has three visits.")
        try await office.startReplicating()
        try await bob.startReplicating()
        try await bob.finish("School", minutes: 30, photo: Data("school".utf8))
        await list.wait { $0.value?.count == 2 }
        try expect(list.error == nil, "A visit leaves the list when Bob has finished it.")
        await office.database.stopReplication()
        await bob.database.stopReplication()

        let broken = office.database.liveModels(Visit.self, on: "customers")
        await broken.wait { $0.error != nil }
        try expect(broken.error?.code == .indexNotFound, "A list without its index says so.")
        try await office.database.addIndex(
            .keyPaths(Visit.self, name: "customers", keys: [\.customer]))
        broken.reload()
        await broken.wait { $0.value != nil }
        try expect(broken.value?.count == 4, "With the index it loads.")
    }

    private func report() async throws {
        print("Report")
        var minutes: [String: Double] = [:]
        for row in try await office.database.runQuery(on: "minutes", with: Self.groups) {
            minutes[try row.key(as: String.self)] = try row.value(as: Double.self)
        }
        try expect(minutes == ["ann": 45.5, "bob": 30], "Ann worked 45.5 minutes, Bob 30.")
        let all = try await office.database.runQuery(on: "minutes").first
        try expect(try all?.value(as: Double.self) == 75.5, "Together they worked 75.5 minutes.")
    }

    /// Invoices are asked for without a connection, over a restart, and written once.
    private func invoice() async throws {
        print("Write invoices")
        let cloud = try InvoiceCloud(folder: folder.appendingPathComponent("invoices"))
        let invoices = InvoiceWriter(database: office.database, cloud: cloud)
        var outbox = try await invoices.open()
        var failures = outbox.failures.makeAsyncIterator()
        try await invoices.request()
        let failure = await failures.next()
        try expect(failure?.name == WriteInvoice.operationName, "The cloud cannot be reached.")
        await outbox.close()
        try expect(await cloud.files().isEmpty, "There are no invoices yet.")

        await cloud.connect()
        outbox = try await invoices.open()
        for try await visits in office.database.modelResults(Visit.self) {
            if visits.allSatisfy({ $0.status != .done || $0.invoice != nil }) { break }
        }
        await outbox.close()
        let done = try await office.database.fetchAll(Visit.self, where: \.status == .done)
        try expect(await cloud.files() == done.compactMap(\.invoice).sorted(), "Both are written.")
        try expect(await cloud.storedCount == 2, "Each was written once.")
    }

    /// A visit goes from Bob to Ann, and from device to device.
    private func reassign() async throws {
        print("Give a visit to somebody else")
        let theatre = try await office.visit(of: "Theatre")
        try await office.database.update(Visit.self, id: theatre.id) { $0.model.assign(to: "ann") }
        for device in [office, bob, ann] { try await device.replicate() }
        try expect(await bob.agenda().isEmpty, "Bob has nothing left to do.")
        try expect(await ann.agenda() == ["Bakery", "Theatre"], "Ann has two visits left.")
        let school = try await bob.visit(of: "School")
        try expect(school.invoice != nil, "Bob sees that his visit was invoiced.")
    }
}
