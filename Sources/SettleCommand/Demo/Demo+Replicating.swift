import Settle
import SettleREST
import SettleSync

/// What passes between the clients and the server.
extension Demo {
    /// What client B did to two cities.
    struct Edits {
        /// The city that was renamed, as it was before.
        var renamed: Document
        /// Its new name.
        var name: String
        /// The city that was deleted.
        var deleted: Document
    }

    static let oldName = "Lyon"
    static let newName = "Lugdunum"
    static let addedPeople = 1_000

    /// Sends all of client A's documents.
    func pushEverything(
        of a: Database, _ configuration: ReplicationConfiguration, _ census: Census
    ) async throws {
        try await story.step("Client A replicates: everything goes to the server.") {
            let watch = ReplicationWatch("Pushing")
            a.replicationStatusDelegate = watch
            try await a.startReplication(with: configuration)
            let counts = try await watch.completion()
            await a.stopReplication()
            try story.expect(counts.sent, toBe: census.cityCount, "documents sent")
            try story.expect(counts.totalToSend, toBe: census.cityCount, "documents to send")
            try story.expect(try a.pendingOperations().count, toBe: 0, "documents left to send")
            return "\(Quantity.count(counts.sent, "document")) sent,"
        }
    }

    /// Opens client B, which fetches its channel and nothing else.
    func pullContinent(
        _ replication: ReplicationConfiguration, _ census: Census
    ) async throws -> Database {
        var opened: Database?
        let channel = Self.channels.joined(separator: ", ")
        try await story.step("Client B opens a database of its own and pulls channel \(channel).") {
            let database = try await Database.open(with: configuration("client-b"), create: true)
            guard let database else { preconditionFailure("A database that may be made is.") }
            opened = database
            let watch = ReplicationWatch("Pulling")
            database.replicationStatusDelegate = watch
            try await database.startReplication(with: replication)
            let counts = try await watch.completion()
            await database.stopReplication()

            let held = try Census(of: database)
            let expected = census.cityCountByContinent[Self.continent] ?? 0
            try story.expect(held.cityCount, toBe: expected, "European cities at B")
            try story.expect(counts.received, toBe: held.cityCount, "documents received")
            try story.expect(
                Array(held.byContinent.keys) == [Self.continent],
                "B holds cities of \(held.byContinent.keys.sorted()), not of \(Self.continent) alone."
            )
            try story.expect(
                held.byContinent == census.byContinent.filter { $0.key == Self.continent },
                "The European cities at B do not have the people they have at A.")
            return "\(Quantity.count(held.cityCount, "document")) received, all of them "
                + "\(Self.continent),"
        }
        guard let opened else { preconditionFailure("A step that does not throw was done.") }
        return opened
    }

    /// Renames one city and deletes another at client B, and sends both.
    func edit(
        _ b: Database, _ configuration: ReplicationConfiguration
    ) async throws -> Edits {
        var edits: Edits?
        try await story.step(
            "Client B renames \(Self.oldName), deletes a small town, and replicates."
        ) {
            let (city, town) = try await citiesToEdit(in: b)
            var renamed = city
            renamed["name"] = Self.newName
            try await b.update(renamed)
            try story.expect(
                try await b.delete(documentWithId: town.id), "The town was not there to delete.")
            let summary = try await b.replicate(with: configuration)
            try story.expect(summary.pushed, toBe: 2, "changes sent by B")
            try story.expect(summary.conflicts + summary.rejected, toBe: 0, "changes left over")
            try story.note(
                "\(Self.oldName) is \(Self.newName) now, \(town.string("name") ?? "") is gone")
            edits = Edits(renamed: city, name: Self.newName, deleted: town)
            return "2 changes sent,"
        }
        guard let edits else { preconditionFailure("A step that does not throw was done.") }
        return edits
    }

    /// Edits the renamed city at client A, which does not know that yet, and replicates.
    ///
    /// - Returns: The people that the country has afterwards.
    func settleConflict(
        at a: Database, _ everything: ReplicationConfiguration, _ edits: Edits, _ census: Census
    ) async throws -> Int64 {
        let before = census.byCountry[[Self.continent, Self.country]] ?? 0
        let lost = Int64(edits.deleted.integer("population") ?? 0)
        let title =
            "Client A, not knowing, counts the people of \(Self.oldName) anew and replicates."
        try await story.step(title) {
            guard var city = try await a.fetchDocument(edits.renamed.id) else {
                throw DemoStory.UnmetExpectation(sentence: "A does not have \(Self.oldName).")
            }
            city["population"] = (city.integer("population") ?? 0) + Self.addedPeople
            try await a.update(city)

            let heard = ConflictRecord()
            var configuration = everything
            configuration.conflictHandler = heard.handler
            let summary = try await a.replicate(with: configuration)

            try story.expect(heard.conflicts.count, toBe: 1, "conflicts at A")
            try story.expect(summary.conflictsResolved, toBe: 1, "conflicts resolved")
            try story.expect(summary.conflicts + summary.rejected, toBe: 0, "changes left over")
            try expectConflict(heard.conflicts[0], about: edits)
            let resolved = try await a.fetchDocument(edits.renamed.id)
            try story.expect(
                resolved?.string("name") == edits.name
                    && resolved?.integer("population") == city.integer("population"),
                "The resolved city does not have B's name and A's people.")
            try story.expect(
                try await a.fetchDocument(edits.deleted.id) == nil,
                "The town that B deleted is still at A.")
            try story.note(
                "The server has another \(Self.oldName). A's handler takes the name from")
            try story.note("the server and the people from A; the town is gone at A, too.")
            return "1 conflict resolved, \(Quantity.count(summary.pulled, "change")) received,"
        }
        return before + Int64(Self.addedPeople) - lost
    }

    /// Waits for the observed query and ends it.
    func seeObservedChange(
        of people: Int64, in watch: QueryWatch, byWayOf a: Database, _ observer: QueryObserver
    ) async throws {
        try await story.step("Client A's observed query tells of the change.") {
            try story.expect(
                await watch.wait(for: people),
                "The observed query has \(Quantity.number(watch.last ?? 0)) people, not "
                    + "\(Quantity.number(people)).")
            a.removeObserver(observer)
            return "\(Quantity.count(watch.resultCount, "result")) so far, the last "
                + "\(Quantity.number(people)) people,"
        }
    }

    /// Lets client B fetch what A settled, and compares the two.
    func compare(
        _ a: Database, _ b: Database, _ configuration: ReplicationConfiguration
    ) async throws {
        try await story.step("Client B replicates once more; both hold the same cities.") {
            let summary = try await b.replicate(with: configuration)
            try story.expect(summary.pulled, toBe: 1, "changes received by B")
            try story.expect(summary.pushed, toBe: 0, "changes sent by B")
            let atA = try cities(of: a).filter { $0.value.string("continent") == Self.continent }
            let atB = try cities(of: b)
            try story.expect(atB.count, toBe: atA.count, "cities at B")
            let differing = atA.filter { atB[$0.key] != $0.value }
            try story.expect(
                differing.isEmpty,
                "\(Quantity.count(differing.count, "city", plural: "cities")) differ between A and B."
            )
            for client in [a, b] {
                try story.expect(
                    try client.pendingOperations().count, toBe: 0, "changes left to send")
                try story.expect(
                    try client.replicationConflicts().count, toBe: 0, "conflicts left")
            }
            return "\(Quantity.count(atB.count, "document")) compared, all equal,"
        }
    }

    /// The city to rename and the town to delete: the smallest that has people.
    private func citiesToEdit(in b: Database) async throws -> (city: Document, town: Document) {
        var range = countryRange
        range.includeDocuments = true
        let cities = try await b.runQuery(on: Census.index.name, with: range).rows
            .compactMap(\.document)
        let town = cities.filter { ($0.integer("population") ?? 0) > 0 }
            .min { ($0.integer("population") ?? 0) < ($1.integer("population") ?? 0) }
        guard let city = cities.first(where: { $0.string("name") == Self.oldName }), let town,
            town.id != city.id
        else {
            throw DemoStory.UnmetExpectation(
                sentence: "The demo needs \(Self.oldName) and another town of \(Self.country).")
        }
        return (city, town)
    }

    private func expectConflict(_ conflict: ReplicationConflict, about edits: Edits) throws {
        let names = [conflict.base, conflict.local, conflict.server].map { $0?.string("name") }
        try story.expect(
            conflict.documentId == edits.renamed.id
                && names == [Self.oldName, Self.oldName, edits.name],
            "The conflict is not between A's people and B's name of \(Self.oldName).")
    }

    private func cities(of database: Database) throws -> [String: Document] {
        var cities: [String: Document] = [:]
        try database.read { snapshot in
            try snapshot.forEachDocument { document in
                cities[document.id] = document
                return true
            }
        }
        return cities
    }
}
