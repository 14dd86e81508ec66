import Foundation
import Settle
import SettleTableProtocol

// `_replicate`, and the lists of what replicates.

extension CouchResponder {
    /// Requests of the server's replications, below `_replicate`, `_scheduler` and `_active_tasks`.
    func replications(_ request: CouchRequest, _ user: CouchUser) async throws -> CouchResponse {
        guard user.isAdministrator else { throw CouchError.notServerAdmin }
        let path = request.path
        switch path[0] {
        case "_replicate" where path.count == 1:
            guard request.method == "POST" else { throw CouchError.notAllowed("POST") }
            return try await replicate(request, user)
        case "_active_tasks" where path.count == 1:
            return .json(200, .array(jobs.map(Self.task(_:))))
        case "_scheduler" where path.count > 1 && path[1] == "jobs":
            return try listed(
                jobs.map(Self.described(_:)), "jobs", request, Array(path.dropFirst(2)))
        case "_scheduler" where path.count > 1 && path[1] == "docs":
            // There is no database of replications, and so none was begun by a document of one.
            let rest = path.dropFirst(path.count > 2 && path[2] == "_replicator" ? 3 : 2)
            return try listed([], "docs", request, Array(rest))
        default: throw CouchError.missing
        }
    }

    private var jobs: [CouchReplications.Job] { replications?.jobs ?? [] }

    private func listed(
        _ all: [JSONValue], _ name: String, _ request: CouchRequest, _ path: [String]
    ) throws -> CouchResponse {
        if let id = path.first {
            guard let found = all.first(where: { $0["id"]?.stringValue == id }) else {
                throw CouchError.missing
            }
            return .json(200, found)
        }
        let skip = try request.number("skip") ?? 0
        let rows = all.dropFirst(skip).prefix(try request.number("limit") ?? .max)
        return .json(
            200,
            [
                "total_rows": .integer(Int64(all.count)), "offset": .integer(Int64(skip)),
                name: .array(Array(rows)),
            ])
    }

    private func replicate(
        _ request: CouchRequest, _ user: CouchUser
    ) async throws -> CouchResponse {
        guard let replications else { throw CouchError.noReplicator }
        try request.checkIsJSON()
        let asked = try CouchReplicationRequest(
            try request.object(), authority: request.headers["host"])
        if asked.isCancelled {
            guard let job = await replications.cancel(asked.id) else { throw CouchError.missing }
            return .json(200, ["ok": true, "_local_id": .string(job.name)])
        }
        let (database, order) = try await resolve(asked, request, user, replications)
        let now = replications.now()
        let job = CouchReplications.Job(
            id: asked.id, source: asked.source?.shown ?? "", target: asked.target?.shown ?? "",
            user: user.name, isContinuous: asked.isContinuous, begun: now, updated: now)
        let task = try replications.begin(job, database.database, order)
        if asked.isContinuous { return .json(202, ["ok": true, "_local_id": .string(job.name)]) }
        let counts: CouchReplicationCounts
        do {
            counts = try await task.value
        } catch is CancellationError {
            throw CouchError(500, "cancelled", "The replication was cancelled.")
        }
        return .json(200, Self.report(counts, job, ended: replications.now()))
    }

    /// The database of this server that is to replicate, and with what.
    private func resolve(
        _ asked: CouchReplicationRequest, _ request: CouchRequest, _ user: CouchUser,
        _ replications: CouchReplications
    ) async throws -> (database: CouchDatabase, order: CouchReplicationOrder) {
        switch (asked.source, asked.target) {
        case (.own(let source)?, .own(let target)?):
            guard source != target else {
                throw CouchError.badRequest("The source and the target are the same database.")
            }
            _ = try await database(source, user, isMade: false, isOpened: false)
            let database = try await database(target, user, isMade: asked.createsTarget)
            // The source is read over the network, with what the sender showed.
            let address = try await replications.address()
            guard let remote = URL(string: "\(address)/\(source.replacing("/", with: "%2F"))")
            else {
                throw CouchError.noDatabase
            }
            let credentials = authorization.credentials(in: request)
            return (database, try asked.order(with: remote, credentials, isPull: true))
        case (.remote(let url, let credentials)?, .own(let target)?):
            try replications.check(url)
            let order = try asked.order(with: url, credentials, isPull: true)
            return (try await database(target, user, isMade: asked.createsTarget), order)
        case (.own(let source)?, .remote(let url, let credentials)?):
            try replications.check(url)
            let order = try asked.order(with: url, credentials, isPull: false)
            return (try await database(source, user, isMade: false), order)
        default:
            throw CouchError(
                501, "not_implemented",
                "The source or the target has to be a database of this server.")
        }
    }

    /// A database of this server that is replicated as a whole.
    ///
    /// - Throws: ``CouchError`` 403 for a sender who may not read and write all of it.
    private func database(
        _ name: String, _ user: CouchUser, isMade: Bool, isOpened: Bool = true
    ) async throws -> CouchDatabase {
        var database: CouchDatabase
        do {
            database = try await databases.database(name)
        } catch let error as CouchError where error == .noDatabase {
            guard isMade else {
                throw CouchError(404, "db_not_found", "could not open \(name)")
            }
            try await databases.create(name)
            database = try await databases.database(name)
        }
        database.user = user
        database.identity = try authorization.identity(of: user, in: name)
        try database.admit()
        let isWhole =
            !database.isLimited && database.identity.writable == nil
            && database.identity.operations == Set(TableOperation.allCases)
        guard isWhole || !isOpened else {
            throw CouchError(
                403, "forbidden",
                "A replication reads and writes all documents, and the token is for a part of them."
            )
        }
        return database
    }
}

// Reports and lists of replications, in CouchDB's form.

extension CouchResponder {
    private static func report(
        _ counts: CouchReplicationCounts, _ job: CouchReplications.Job, ended: Date
    ) -> JSONValue {
        let session = String(
            ContentDigest(of: Array("\(job.id) \(ended)".utf8)).description.prefix(32))
        let sequence: JSONValue =
            counts.sequence.map { .string(CouchDatabase.text(ofSequence: $0)) } ?? .null
        var report: [String: JSONValue] = [
            "ok": true, "session_id": .string(session), "source_last_seq": sequence,
            "replication_id_version": 4,
            "history": [
                [
                    "session_id": .string(session), "start_time": .string(date(job.begun)),
                    "end_time": .string(date(ended)), "recorded_seq": sequence,
                    "end_last_seq": sequence, "missing_found": .integer(Int64(counts.read)),
                    "docs_read": .integer(Int64(counts.read)),
                    "docs_written": .integer(Int64(counts.written)),
                    "doc_write_failures": .integer(Int64(counts.failed)),
                ]
            ],
        ]
        if counts.read == 0 { report["no_changes"] = true }
        return .object(report)
    }

    private static func date(_ date: Date) -> String {
        HTTPDate.text(of: Int64(date.timeIntervalSince1970))
    }

    private static func iso(_ date: Date) -> JSONValue {
        .string(
            Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).ISO8601Format())
    }

    private static let node: JSONValue = "settle@127.0.0.1"

    /// An element of `_scheduler/jobs`.
    private static func described(_ job: CouchReplications.Job) -> JSONValue {
        [
            "id": .string(job.name), "database": .null, "doc_id": .null, "node": node,
            "source": .string(job.source), "target": .string(job.target),
            "user": job.user.map { .string($0) } ?? .null, "start_time": iso(job.begun),
            "history": [
                ["timestamp": iso(job.begun), "type": "started"],
                ["timestamp": iso(job.begun), "type": "added"],
            ],
            "info": [
                "docs_read": .integer(Int64(job.counts.read)),
                "docs_written": .integer(Int64(job.counts.written)),
                "doc_write_failures": .integer(Int64(job.counts.failed)),
                "missing_revisions_found": .integer(Int64(job.counts.read)),
                "changes_pending": .null,
            ],
        ]
    }

    /// An element of `_active_tasks`.
    private static func task(_ job: CouchReplications.Job) -> JSONValue {
        [
            "type": "replication", "node": node, "replication_id": .string(job.name),
            "database": .null, "doc_id": .null, "source": .string(job.source),
            "target": .string(job.target), "user": job.user.map { .string($0) } ?? .null,
            "continuous": .bool(job.isContinuous),
            "started_on": .integer(Int64(job.begun.timeIntervalSince1970)),
            "updated_on": .integer(Int64(job.updated.timeIntervalSince1970)),
            "docs_read": .integer(Int64(job.counts.read)),
            "docs_written": .integer(Int64(job.counts.written)),
            "doc_write_failures": .integer(Int64(job.counts.failed)), "changes_pending": .null,
        ]
    }
}
