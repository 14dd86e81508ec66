import SettleSync

/// Writes the names of columns, and refuses those that would be read as something else.
///
/// > Source: the names of OData 4.01 ("odataIdentifier"), wider by `@` and `-`: the servers of Azure
/// > Mobile Apps take names that begin with `@` or `_`, and ours takes a hyphen inside.
enum ODataName {
    /// What a server reads as a value or as an operator where a column can stand.
    private static let words: Set<String> = ["true", "false", "null", "not", "nan", "inf"]

    /// A path of names.
    ///
    /// - Parameters:
    ///   - path: The names, with slashes in between.
    ///   - isBelow: Whether the path goes on from an element, so that no word can be mistaken.
    /// - Returns: The path, unchanged.
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured`, naming the name.
    static func path(
        _ path: String, isBelow: Bool = false
    ) throws(ReplicationError) -> String {
        let scalars = path.unicodeScalars
        let names = scalars.split(separator: "/", omittingEmptySubsequences: false)
        for (index, name) in names.enumerated() {
            let isWord = index == 0 && !isBelow && words.contains(String(name).lowercased())
            guard let first = name.first, canBegin(first), name.allSatisfy(canGoOn), !isWord
            else {
                throw ReplicationError(
                    .misconfigured,
                    "A filter cannot name the column '\(path)': names are made of letters, digits, "
                        + "'_', '@' and '-', do not begin with a digit or '-', and are no words of "
                        + "the filter language.")
            }
        }
        return path
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
