/// The names of databases of CouchDB's protocol.
enum DatabaseName {
    private static let letters = Set("abcdefghijklmnopqrstuvwxyz")
    private static let others = letters.union("0123456789_$()+/-")

    /// Whether a database can be called so: a lower-case letter, then those, digits, and `_$()+/-`.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.first else { return false }
        return letters.contains(first) && name.allSatisfy(others.contains)
    }
}
