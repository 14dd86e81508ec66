import HTTPTypes

/// The name of a table, as it stands in a URL; names that differ in case are different tables.
package struct TableName: Sendable, Hashable {
    /// A letter or `_`, then letters, digits and `_`; at most 63 characters, all ASCII.
    package let text: String

    /// Checks a name.
    ///
    /// - Throws: ``Problem`` 400 with the rule.
    package init(_ text: String) throws(Problem) {
        let bytes = text.utf8
        guard (1...63).contains(bytes.count), let first = bytes.first,
            !Self.isDigit(first), bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) })
        else {
            throw Problem(
                .badRequest,
                "A table's name has 1 to 63 letters, digits and '_', and no digit at its start.")
        }
        self.text = text
    }

    /// The name of the database that holds the table.
    ///
    /// Shape: `t-` and the name in lower case; when it has upper-case letters, a hyphen and, in
    /// hexadecimal, the set of the places where they are (bit 0 is the first character). So
    /// `todo` is `t-todo`, `Todo` is `t-todo-1` and `TODO` is `t-todo-f`, which stay apart on
    /// file systems that do not tell case, and the name can be read back.
    var databaseName: String {
        var places: UInt64 = 0
        for (place, byte) in text.utf8.enumerated() where Self.isUpper(byte) {
            places |= 1 << UInt64(place)
        }
        let name = "t-" + text.lowercased()
        return places == 0 ? name : name + "-" + String(places, radix: 16)
    }

    /// The name of the table that a database holds; nil when it is the name of no table's database.
    init?(databaseName: String) {
        guard databaseName.hasPrefix("t-") else { return nil }
        let parts = databaseName.dropFirst(2).split(
            separator: "-", omittingEmptySubsequences: false)
        guard let lower = parts.first, parts.count <= 2 else { return nil }
        let places = parts.count == 2 ? UInt64(parts[1], radix: 16) : 0
        guard let places else { return nil }
        let characters = lower.enumerated().map { place, character in
            place < 64 && places & 1 << UInt64(place) != 0
                ? character.uppercased() : String(character)
        }
        guard let name = try? TableName(characters.joined()), name.databaseName == databaseName
        else { return nil }
        self = name
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isUpper(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
