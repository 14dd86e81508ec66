import Settle

/// Versions of a document beside each other, member by member.
enum SideBySide {
    /// A version.
    struct Version {
        let title: String
        /// Its members; nil when they are not known.
        let members: [String: JSONValue]?
    }

    /// The members of some versions, each with a word where the last ones differ.
    ///
    /// - Parameters:
    ///   - versions: The versions, in the order of the columns.
    ///   - compared: How many of the last ones are compared.
    /// - Returns: The table.
    static func table(_ versions: [Version], comparing compared: Int) -> Table {
        var table = Table(
            caption: "The document by member",
            columns: ["Member"] + versions.map(\.title) + ["Compared"],
            emptiness: "No version has members.")
        let names = Set(versions.flatMap { ($0.members ?? [:]).keys })
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            let shown = versions.map { version in
                Cell.stored(
                    version.members.map { $0[name]?.jsonText ?? "—" } ?? "not kept")
            }
            let values = versions.suffix(compared).map { $0.members?[name] }
            let differs = values.contains { $0 != values.first }
            table.rows.append(
                Table.Row([.name(name)] + shown + [.text(differs ? "differs" : "")]))
        }
        return table
    }

    /// The attachments of some versions by name, each with a word where the last ones differ; nothing when none has any.
    ///
    /// - Parameters:
    ///   - versions: The versions, in the order of the columns.
    ///   - compared: How many of the last ones are compared.
    /// - Returns: The heading and the table.
    static func attachments(
        _ versions: [(title: String, attachments: [DocumentAttachment])], comparing compared: Int
    ) -> [Block] {
        let sides = versions.map { version in
            Dictionary(
                version.attachments.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let names = Set(sides.flatMap(\.keys)).sorted()
        guard !names.isEmpty else { return [] }
        var table = Table(
            caption: "Attachments by name",
            columns: ["Attachment"] + versions.map(\.title) + ["Compared"])
        for name in names {
            let shown = sides.map { side in
                Cell.stored(
                    side[name].map {
                        "\($0.contentType), \(Amounts.bytes($0.length)), \($0.digest.prefix(12))"
                    } ?? "—")
            }
            let values = sides.suffix(compared).map { $0[name] }
            let differs = values.contains { $0 != values.first }
            table.rows.append(
                Table.Row([.name(name)] + shown + [.text(differs ? "differs" : "")]))
        }
        return [.heading("Attachments"), .table(table)]
    }

    /// The attachments of all versions; of several with one name that of the first version.
    static func union(_ versions: [[DocumentAttachment]]) -> [DocumentAttachment] {
        var names: Set<String> = []
        return versions.joined().filter { names.insert($0.name).inserted }
    }

    /// The members of a document of a form.
    ///
    /// - Throws: ``PageProblem`` 400 when the text is no JSON object, or names another document.
    static func members(_ request: PageRequest, of id: String) throws -> [String: JSONValue] {
        guard case .object(var members)? = try request.json("text") else {
            throw PageProblem.unusable("A document is a JSON object. Go back and write one.")
        }
        if let named = members.removeValue(forKey: "id"), named != .string(id) {
            throw PageProblem.unusable(
                "The member 'id' is another identifier than that of the document. Leave it out.")
        }
        return members
    }

    /// The form in which a merged version is written.
    static func form(
        _ members: [String: JSONValue], _ action: String, _ hidden: [(name: String, value: String)]
    ) -> Form {
        Form(
            action: action,
            fields: [
                Field(
                    name: "text", label: "Members of the merged version, as JSON",
                    value: JSONLayout.indented(.object(members)), kind: .area)
            ], hidden: hidden, button: "Show what is different")
    }
}
