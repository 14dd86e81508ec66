import Settle

/// What an import did, in words or as JSON.
struct ImportReport {
    private let stored: Int
    private let replaced: Int
    private let others: [(name: String, count: Int)]

    /// The report of an import of plain JSON.
    init(_ counts: Importer.Counts) {
        stored = counts.stored
        replaced = counts.replaced
        others = [("kept", counts.kept)]
    }

    /// The report of an import of an export.
    init(_ summary: ImportSummary) {
        stored = summary.storedCount
        replaced = summary.replacedCount
        others = [("unchanged", summary.unchangedCount), ("kept", summary.keptCount)]
    }

    /// A sentence; counts that are 0 are left out.
    func sentence(elapsed: Duration) -> String {
        var line = "\(Quantity.count(stored, "document")) stored"
        if replaced > 0 { line += " (\(Quantity.number(replaced)) in place of older ones)" }
        for other in others where other.count > 0 {
            line += ", \(Quantity.number(other.count)) \(other.name)"
        }
        return line + " in \(Quantity.time(elapsed))."
    }

    /// All counts as a JSON object.
    var json: String {
        var members: [String: JSONValue] = [
            "added": .integer(Int64(stored - replaced)), "replaced": .integer(Int64(replaced)),
        ]
        for other in others { members[other.name] = .integer(Int64(other.count)) }
        return JSONRendering.compact(.object(members))
    }
}
