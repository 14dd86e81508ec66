import Foundation
import Settle

/// A database in a list of databases.
struct DatabaseEntry: Sendable {
    private struct Facts: Sendable {
        let documentCount: Int
        let lastSequence: UInt64
        let sizeBytes: Int
    }

    private let name: String
    private let result: Result<Facts, CommandFailure>

    /// Why it could not be opened; nil if it could.
    var failure: String? {
        if case .failure(let failure) = result { failure.description } else { nil }
    }

    /// Looks at a database, which is only read.
    static func of(_ name: String, in folder: URL) async -> DatabaseEntry {
        do {
            let path = DatabasePath(name: name, location: folder)
            let facts = try await path.withDatabase(isReadOnly: true) { database in
                let statistics = try database.statistics()
                return Facts(
                    documentCount: statistics.documentCount,
                    lastSequence: statistics.lastSequence, sizeBytes: statistics.fileSizeBytes)
            }
            return DatabaseEntry(name: name, result: .success(facts))
        } catch {
            return DatabaseEntry(
                name: name, result: .failure(CommandFailure(FailureText.sentence(for: error))))
        }
    }

    /// A table with a line a database.
    static func lines(of entries: [DatabaseEntry], on screen: Screen) -> [String] {
        let hasFailures = entries.contains { $0.failure != nil }
        var table = TextTable(
            [.name("database"), .right("documents"), .right("last sequence"), .right("size")]
                + (hasFailures ? [.left("problem")] : []))
        for entry in entries {
            var cells = [entry.name]
            switch entry.result {
            case .success(let facts):
                cells += [
                    Quantity.number(facts.documentCount), Quantity.number(facts.lastSequence),
                    Quantity.bytes(facts.sizeBytes),
                ]
            case .failure: cells += ["", "", ""]
            }
            table.add(cells + (hasFailures ? [entry.failure ?? ""] : []))
        }
        return table.lines(on: screen)
    }

    /// The database as a JSON object.
    var json: String {
        var members: [String: JSONValue] = ["name": .string(name)]
        switch result {
        case .success(let facts):
            members["documents"] = .integer(Int64(facts.documentCount))
            members["lastSequence"] = .integer(Int64(clamping: facts.lastSequence))
            members["bytes"] = .integer(Int64(facts.sizeBytes))
        case .failure(let failure): members["error"] = .string(failure.description)
        }
        return JSONRendering.compact(.object(members))
    }
}
