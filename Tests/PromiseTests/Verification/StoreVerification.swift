import Foundation
import Settle
import StoreChild

/// Compares a database with what it must hold, by every way its public interface gives to look.
struct StoreVerification {
    let database: Database
    let model: StoreModel

    /// What is wrong, in sentences; none when all is well.
    func faults() async throws -> [String] {
        var faults = try database.read { snapshot in
            try countFaults(snapshot) + documentFaults(snapshot) + changeFaults(snapshot)
        }
        faults += try await indexFaults()
        faults += try await checkFaults()
        return faults
    }

    /// What is wrong with the documents of the model, when there are others, too.
    func ownFaults() async throws -> [String] {
        var faults: [String] = []
        for (id, row) in model.rows {
            let found = try await database.fetchDocument(id)?["batch"] as? Int
            if found != row.entry?.batch { faults.append("\(id) is not as it was written.") }
        }
        return try await faults + checkFaults()
    }

    private func countFaults(_ snapshot: Snapshot) -> [String] {
        let live = model.entries.count
        let deleted = model.rows.count - live
        let counts = [
            ("documents", snapshot.documentCount, live),
            ("tombstones", snapshot.deletedDocumentCount, deleted),
            ("changes", Int(snapshot.sequence), model.changeCount),
        ]
        return counts.compactMap { name, found, wanted in
            found == wanted ? nil : "There are \(found) \(name) and not \(wanted)."
        }
    }

    private func documentFaults(_ snapshot: Snapshot) throws -> [String] {
        var faults: [String] = []
        var seen: Set<String> = []
        var contents: [ContentPlan: Data] = [:]
        try snapshot.forEachDocument(includingDeleted: true) { document in
            seen.insert(document.id)
            guard let row = model.rows[document.id] else {
                faults.append("\(document.id) was never written.")
                return true
            }
            let generation = document.metaData.revision?.split(separator: "-").first
            if generation.flatMap({ Int($0) }) != row.generation {
                faults.append("\(document.id) is not at its change \(row.generation).")
            }
            guard let entry = row.entry else {
                if !document.metaData.isDeleted { faults.append("\(document.id) is not deleted.") }
                return true
            }
            var written = Document(id: entry.id)
            entry.fillMembers(of: &written)
            if document.metaData.isDeleted || document.json != written.json {
                faults.append("\(document.id) is not as batch \(entry.batch) wrote it.")
            }
            let wanted = entry.content.map { contents[$0] ?? $0.data }
            if let plan = entry.content { contents[plan] = wanted }
            if try document.attachments.map({ try $0.data() }) != [wanted].compactMap({ $0 }) {
                faults.append("\(document.id) has not what batch \(entry.batch) attached.")
            }
            return true
        }
        return faults
            + model.rows.keys.filter { !seen.contains($0) }.map { "\($0) is not there." }
    }

    /// Each document stands in the feed once, in an order that is the same as that of the batches.
    private func changeFaults(_ snapshot: Snapshot) throws -> [String] {
        let changes = try snapshot.changes(since: 0).changes
        var faults: [String] = []
        if changes.map(\.sequence) != Set(changes.map(\.sequence)).sorted() {
            faults.append("The sequences of the changes do not ascend.")
        }
        if changes.map(\.documentId).sorted() != model.rows.keys.sorted() {
            faults.append("Not every document stands among the changes once.")
        }
        for lane in model.numbers.indices {
            let batches = changes.compactMap { change in
                change.documentId.hasPrefix("lane\(lane)-")
                    ? model.rows[change.documentId]?.entry?.batch : nil
            }
            if batches != batches.sorted() {
                faults.append("The changes of lane \(lane) are not in the order of its batches.")
            }
        }
        return faults
    }

    private func indexFaults() async throws -> [String] {
        let wanted = model.indexRows
        var all = QueryByKeyRange()
        all.reduce = false
        let rows = try await database.runQuery(on: ChildDatabase.indexName, with: all).rows
        let found = rows.map { row -> IndexRow? in
            guard case .array(let key) = row.keyJSON, key.count == 2,
                case .string(let group) = key[0], case .integer(let value) = key[1],
                row.valueJSON == key[1], let id = row.documentId
            else { return nil }
            return IndexRow(group: group, value: Int(value), id: id)
        }
        var faults = found == wanted ? [] : ["The index has not the rows of the documents."]
        var grouped = QueryByKeyRange()
        grouped.groupLevel = 1
        let sums = try await database.runQuery(on: ChildDatabase.indexName, with: grouped).rows
        let wantedSums = Dictionary(grouping: wanted, by: \.group).sorted { $0.key < $1.key }
            .map { $0.value.reduce(0) { $0 + $1.value } }
        if sums.map({ $0.value as? Int }) != wantedSums {
            faults.append("The index does not give the sums of the groups.")
        }
        return faults
    }

    /// What a walk over the whole file finds.
    private func checkFaults() async throws -> [String] {
        try await database.check().map(\.description)
    }
}
