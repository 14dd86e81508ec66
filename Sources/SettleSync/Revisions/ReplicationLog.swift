import Settle

/// How far a replication by revisions came, and how it came there.
///
/// Both sides keep the same log. Where the two are not the same, because one was restored from a copy or did
/// not get the last one, the replication goes on from the newest entry that both have. Each entry has a name
/// that is never used again, so that equal names mean equal states.
///
/// Shape: CouchDB's, so that others can read it (Docs/Formats/Replication.md).
struct ReplicationLog: Sendable, Equatable {
    /// What was done up to a sequence.
    struct Entry: Sendable, Equatable {
        /// The name of the entry.
        var name: String
        /// The sequence of the source that was reached.
        var sequence: JSONValue
        /// When, where from, and how much; nothing depends on it.
        var details: [String: JSONValue] = [:]
    }

    /// Newest first.
    private(set) var entries: [Entry]

    /// As many as CouchDB keeps.
    static let entryCountMax = 50

    init(entries: [Entry]) {
        self.entries = Array(entries.prefix(Self.entryCountMax))
    }

    /// Reads a log; what makes no sense in it is left out.
    ///
    /// - Returns: nil when nothing is left.
    init?(_ json: JSONValue) {
        var entries: [Entry] = []
        if let name = json[Word.name]?.stringValue, let last = json[Word.last], !last.isNull {
            entries.append(Entry(name: name, sequence: last))
        }
        for listed in json[Word.history]?.arrayValue ?? [] {
            guard var details = listed.objectValue,
                let name = details.removeValue(forKey: Word.name)?.stringValue,
                let sequence = details.removeValue(forKey: Word.recorded), !sequence.isNull
            else { continue }
            let entry = Entry(name: name, sequence: sequence, details: details)
            if let first = entries.first, first.name == name {
                // The newest stands twice; the two must not contradict each other.
                if first.sequence == sequence { entries[0] = entry }
            } else {
                entries.append(entry)
            }
        }
        if entries.isEmpty { return nil }
        self.init(entries: entries)
    }

    /// The log as a document.
    var json: JSONValue {
        let history = entries.map { entry in
            var members = entry.details
            members[Word.name] = .string(entry.name)
            members[Word.recorded] = entry.sequence
            return JSONValue.object(members)
        }
        return [
            Word.name: .string(entries.first?.name ?? ""),
            Word.last: entries.first?.sequence ?? .null,
            "replication_id_version": 4, Word.history: .array(history),
        ]
    }

    private enum Word {
        static let name = "session_id"
        static let last = "source_last_seq"
        static let history = "history"
        static let recorded = "recorded_seq"
    }

    /// The entries that two logs both have, newest first.
    static func common(_ first: ReplicationLog?, _ second: ReplicationLog?) -> [Entry] {
        guard let first, let second else { return [] }
        var sequences: [String: JSONValue] = [:]
        for entry in second.entries.reversed() { sequences[entry.name] = entry.sequence }
        return first.entries.filter { sequences[$0.name] == $0.sequence }
    }
}
