import Foundation
import Settle
import SettleREST
import SettleSync

/// The app on the device of one user.
struct Device {
    let name: String
    let database: Database
    private let server: URL
    private let token: String

    init(_ name: String, token: String, server: URL, folder: URL) async throws {
        self.name = name
        self.token = token
        self.server = server
        database = try await Database.openOrCreate(
            Database.OpenDatabaseConfiguration(
                name: name, fileLocation: folder, indexes: Indexes.all))
    }

    /// One table for each model; the channels that the token names limit what comes.
    private var tables: [ReplicationConfiguration] {
        let ofModels = [("technicians", Technician.documentType), ("visits", Visit.documentType)]
        return ofModels.map { table, type in
            let url = server.appending(path: "tables/\(table)")
            var configuration = ReplicationConfiguration(url: url)
            configuration.options = ["token": token]
            configuration.scope = .documents(ofType: type)
            configuration.conflictHandler = Self.conflicts
            // The user sees at once that there is no connection, and goes on without.
            configuration.retryLimit = 0
            return configuration
        }
    }

    /// The technician knows what was done, and the office everything else.
    private static let conflicts = ConflictHandler(mayStop: false) { conflict in
        guard let local = conflict.local, let server = conflict.server,
            local.metaData.type == Visit.documentType
        else { return .leave }
        let sides = [try Stored<Visit>(local), try Stored<Visit>(server)]
        guard let done = sides.first(where: { $0.status == .done }),
            var plan = sides.first(where: { $0.status == .planned })
        else { return .leave }
        plan.status = done.status
        plan.minutes = done.minutes
        plan.attachments = done.attachments
        return .use(try plan.changedDocument())
    }

    /// Sends what was changed here, and fetches what was changed elsewhere.
    @discardableResult
    func replicate() async throws -> ReplicationSummary {
        var total = ReplicationSummary()
        for result in try await database.replicate(with: tables) {
            let summary = try result.summary()
            total.pushed += summary.pushed
            total.pulled += summary.pulled
            total.conflicts += summary.conflicts
            total.conflictsResolved += summary.conflictsResolved
            total.rejected += summary.rejected
            total.attachmentsDownloaded += summary.attachmentsDownloaded
        }
        print("  \(name): \(total)")
        return total
    }

    /// Replicates until it is stopped.
    func startReplicating() async throws {
        try await database.startReplication(with: tables)
    }

    func visit(of customer: String) async throws -> Stored<Visit> {
        let visits = try await database.fetchAll(Visit.self, where: \.customer == customer)
        guard let visit = visits.first else {
            throw Unexpected("\(name) has no visit to \(customer).")
        }
        return visit
    }

    /// The customers that are still to be visited, in the order of the dates.
    func agenda() async throws -> [String] {
        try await database.fetchAll(Visit.self, on: "agenda").map(\.customer)
    }

    /// Notes that a visit is over, with a photo of what was done.
    func finish(_ customer: String, minutes: Double, photo: Data) async throws {
        var visit = try await visit(of: customer)
        visit.status = .done
        visit.minutes = minutes
        visit.attachments.append(
            DocumentAttachment(name: "photo.jpg", contentType: "image/jpeg", data: photo))
        try await database.save(visit)
    }
}
