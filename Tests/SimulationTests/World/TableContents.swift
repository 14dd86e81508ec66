import Settle

/// The members of a table's rows, by identifier; nulls are left out of the live ones.
struct TableContents: Sendable, Equatable, CustomStringConvertible {
    var live: [String: [String: JSONValue]] = [:]
    /// Live rows that cannot be documents, and are none of the others.
    var wrong: [String: [String: JSONValue]] = [:]
    /// What deleted rows were.
    var deleted: [String: [String: JSONValue]] = [:]

    var description: String {
        let texts = [live, deleted].map { Journal.text($0.mapValues { JSONValue.object($0) }) }
        return "\(texts[0]), deleted \(texts[1])"
    }
}
