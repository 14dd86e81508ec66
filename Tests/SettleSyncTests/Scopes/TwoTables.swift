import Foundation
import Settle
import Testing

@testable import SettleSync

/// A device with todo items and notes in one database, and a table on a server for each.
struct TwoTables {
    var device: Device
    var todos: ModelBackend
    var notes: ModelBackend

    var database: Database { device.database }

    init() async throws {
        device = try await Device()
        todos = ModelBackend(server: ModelServer())
        todos.identifier = "todos"
        notes = ModelBackend(server: ModelServer())
        notes.identifier = "notes"
    }

    /// Another device with the same tables.
    func another() async throws -> TwoTables {
        var other = self
        other.device = try await Device()
        return other
    }

    /// The same database, opened again.
    func reopened() async throws -> TwoTables {
        var other = self
        other.device = try await Device(reopening: device)
        return other
    }

    func targets(
        _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) throws -> [ReplicationTarget] {
        try ["todo", "note"].map { type in
            let configuration = try device.configuration {
                $0.scope = .documents(ofType: type)
                change(&$0)
            }
            return ReplicationTarget(configuration, using: type == "todo" ? todos : notes)
        }
    }

    /// Replicates once with both tables.
    @discardableResult
    func replicate(
        inOrder keepsOrder: Bool = false,
        _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) async throws -> [ReplicationResult] {
        try await database.replicate(with: targets(change), keepingCommitOrder: keepsOrder)
    }

    /// Replicates once with the table of one type.
    @discardableResult
    func replicate(
        _ type: String, _ change: (inout ReplicationConfiguration) -> Void = { _ in }
    ) async throws -> ReplicationSummary {
        try await device.replicate(type == "todo" ? todos : notes) {
            $0.scope = .documents(ofType: type)
            change(&$0)
        }
    }

    /// Replicates until nothing moves any more.
    func settle() async throws {
        for _ in 0..<5 {
            let moved = try await replicate().reduce(0) { sum, result in
                let summary = try result.summary()
                return sum + summary.pushed + summary.pulled
            }
            if moved == 0 { return }
        }
        Issue.record("The device does not come to rest.")
    }

    func pending(_ remote: String) throws -> [String] {
        try database.pendingOperations(with: remote).map { "\($0.kind) \($0.documentId)" }.sorted()
    }

    func put(_ id: String, _ members: [String: JSONValue]) async throws {
        try await device.put(id, members)
    }
}
