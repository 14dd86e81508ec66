import ArgumentParser
import Settle

/// What an index is made of, for the commands that declare one.
struct IndexOptions: ParsableArguments {
    /// The members of the key.
    @Option(
        help: ArgumentHelp("A member of the key; give it once or more.", valueName: "path"),
        transform: KeyPathArgument.init(parsing:))
    var key: [KeyPathArgument] = []

    /// The member that is the value.
    @Option(
        help: ArgumentHelp("The member that is the value of a row.", valueName: "path"),
        transform: KeyPathArgument.init(parsing:))
    var value: KeyPathArgument?

    /// Which documents have rows.
    @Option(
        help: ArgumentHelp(
            "Only documents that fit, as a JSON object: '{\"type\":\"order\"}'.",
            valueName: "json"),
        transform: FilterArgument.init(parsing:))
    var filter: FilterArgument?

    /// How values are summed up.
    @Option(help: "Sum up the values.")
    var reduce: ReduceArgument?

    /// How strings are ordered.
    @Option(
        help: """
            Order strings as people do (unicode, unless told otherwise), or by their bytes (raw).
            """)
    var collation: CollationArgument?

    /// Whether nothing was given.
    var isEmpty: Bool {
        key.isEmpty && value == nil && filter == nil && reduce == nil && collation == nil
    }

    /// The declaration they make.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - version: Its version.
    /// - Returns: The declaration; there must be a key.
    func declaration(named name: String, version: String = "1") -> Database.IndexDeclaration {
        Database.IndexDeclaration(
            name: name, version: version, keys: key.map(\.names), value: value?.names,
            filter: filter?.filter, reduce: reduce?.function,
            collation: collation?.collation ?? .unicode)
    }

    /// Refuses what cannot be the name of an index.
    ///
    /// - Throws: `ValidationError` for a name that is empty or too long.
    static func check(name: String?) throws {
        guard let name else { return }
        guard (1...200).contains(name.utf8.count) else {
            throw ValidationError("The name of an index has 1 to 200 bytes.")
        }
    }
}
