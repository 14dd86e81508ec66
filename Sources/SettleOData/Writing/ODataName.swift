/// Writes the names of columns, and refuses those that would be read as something else.
///
/// > Source: the names of OData 4.01 ("odataIdentifier"), wider by `@` and `-`: the servers of Azure
/// > Mobile Apps take names that begin with `@` or `_`, and ours takes a hyphen inside.
enum ODataName {
    /// What a server reads as a value or as an operator where a column can stand, beside the
    /// constants of ``ODataWord``.
    private static let words: Set<String> = [ODataWord.not, "nan", "inf"]

    /// A path of names.
    ///
    /// - Parameters:
    ///   - path: The names.
    ///   - dialect: The version, for what only one of them takes for a value.
    ///   - isBelow: Whether the path goes on from an element, so that no word can be mistaken.
    /// - Returns: The names with slashes in between.
    /// - Throws: ``ODataWriteError``, naming the path.
    static func path(
        _ path: some Collection<String>, _ dialect: ODataDialect, isBelow: Bool = false
    ) throws(ODataWriteError) -> String {
        let text = path.joined(separator: "/")
        guard let first = path.first, path.allSatisfy(isName),
            isBelow || !isWord(first) && (path.count > 1 || !isGuid(first, dialect))
        else {
            throw ODataWriteError(
                "A filter cannot name the column '\(text)': names are made of letters, digits, "
                    + "'_', '@' and '-', do not begin with a digit or '-', and are no words of "
                    + "the filter language.")
        }
        return text
    }

    /// Whether a variable may be called so.
    static func isVariable(_ name: String, _ dialect: ODataDialect) -> Bool {
        isName(name) && !isWord(name) && !isGuid(name, dialect)
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        return canBegin(first) && name.unicodeScalars.allSatisfy(canGoOn)
    }

    private static func isWord(_ name: String) -> Bool {
        let name = name.lowercased()
        return words.contains(name) || ODataWord.constant(name) != nil
    }

    private static func isGuid(_ name: String, _ dialect: ODataDialect) -> Bool {
        dialect == .version4 && ODataGuid.canonical(name) != nil
    }

    private static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
                || scalar == "@"
            : scalar.properties.isIDStart
    }

    private static func canGoOn(_ scalar: Unicode.Scalar) -> Bool {
        canBegin(scalar) || ("0"..."9").contains(scalar) || scalar == "-"
            || (!scalar.isASCII && scalar.properties.isIDContinue)
    }
}
