import Settle

/// The indexes of a database, for people or as JSON.
struct IndexListing {
    private let statuses: [IndexStatus]
    private let lastSequence: UInt64

    /// A listing.
    ///
    /// - Parameters:
    ///   - statuses: How the indexes are.
    ///   - lastSequence: The sequence of the database.
    init(_ statuses: [IndexStatus], lastSequence: UInt64) {
        self.statuses = statuses
        self.lastSequence = lastSequence
    }

    /// A table with a line an index.
    func lines(on screen: Screen = .plain) -> [String] {
        guard !statuses.isEmpty else { return ["No indexes."] }
        var table = TextTable([
            .name("index"), .left("version"), .right("rows"), .right("errors"), .left("state"),
            .left("made of"),
        ])
        for status in statuses {
            table.add([
                status.name, status.version,
                Quantity.number(status.rowCount), Quantity.number(status.errorCount),
                state(of: status),
                Self.text(of: status),
            ])
        }
        return table.lines(on: screen)
    }

    /// An object an index.
    var json: [String] {
        statuses.map { status in
            var members: [String: JSONValue] = [
                "name": .string(status.name), "version": .string(status.version),
                "rows": .integer(Int64(status.rowCount)),
                "errors": .integer(Int64(status.errorCount)),
                "isCurrent": .bool(status.isCurrent), "isBuilt": .bool(status.isBuilt),
                "sequence": .integer(Int64(clamping: status.sequence)),
                "lastSequence": .integer(Int64(clamping: lastSequence)),
            ]
            members["reduce"] = status.reduce.map { .string($0) } ?? .null
            members["declaration"] = status.declaration?.json ?? .null
            members["progress"] =
                status.progress.map {
                    [
                        "completed": .integer(Int64($0.completed)),
                        "total": .integer(Int64($0.total)),
                    ]
                } ?? .null
            return JSONRendering.compact(.object(members))
        }
    }

    private func state(of status: IndexStatus) -> String {
        if let progress = status.progress, progress.total > 0 {
            return "building, \(progress.completed * 100 / progress.total) %"
        }
        if !status.isBuilt { return "not built" }
        let behind = lastSequence - min(status.sequence, lastSequence)
        if behind > 0 { return Quantity.count(Int(clamping: behind), "change") + " behind" }
        // Of an index by code nobody here knows whether its rows are of the present version.
        return status.isCurrent || !status.isDefined ? "up to date" : "of an older version"
    }

    /// What an index by code is made of, as far as that is known.
    ///
    /// - Parameter reduce: The name of its reduce function as the database gives it: `_sum`.
    /// - Returns: The words.
    static func codeText(reduce: String?) -> String {
        let text = "code of an application"
        let known = reduce.flatMap { ReduceArgument(rawValue: String($0.dropFirst())) }
        return known.map { "\(text); \($0.rawValue)" } ?? text
    }

    /// What an index is made of, in a line.
    static func text(of status: IndexStatus) -> String {
        status.declaration.map(text(of:)) ?? codeText(reduce: status.reduce)
    }

    /// What a declared index is made of, in a line.
    static func text(of declaration: Database.IndexDeclaration) -> String {
        var parts = [declaration.keys.map { KeyPathArgument($0).text }.joined(separator: ", ")]
        if let value = declaration.value { parts[0] += " -> \(KeyPathArgument(value).text)" }
        if let reduce = declaration.reduce { parts.append(ReduceArgument(reduce).rawValue) }
        if let filter = declaration.filter {
            parts.append("where " + JSONRendering.compact(filter.json))
        }
        if declaration.collation == .raw { parts.append("raw") }
        if declaration.identifierName != "id" {
            parts.append("the identifier is \(declaration.identifierName)")
        }
        return parts.joined(separator: "; ")
    }
}
