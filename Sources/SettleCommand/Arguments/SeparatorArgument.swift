import ArgumentParser

/// What stands between the fields of a table, as it is given on the command line.
struct SeparatorArgument: Sendable, Equatable {
    /// The character, of ASCII.
    let byte: UInt8

    static let comma = SeparatorArgument(byte: UInt8(ascii: ","))

    private init(byte: UInt8) {
        self.byte = byte
    }

    /// Reads one character, or `tab`.
    ///
    /// - Throws: `ValidationError` for anything else, and for what a table has another use for.
    init(parsing text: String) throws {
        if ["tab", "\\t"].contains(text) {
            byte = UInt8(ascii: "\t")
            return
        }
        guard text.utf8.count == 1, let byte = text.utf8.first, byte == 0x09 || byte >= 0x20,
            byte != UInt8(ascii: "\"")
        else {
            throw ValidationError(
                "A separator is one character that is not a quote, such as ',' or ';', or tab.")
        }
        self.byte = byte
    }
}
