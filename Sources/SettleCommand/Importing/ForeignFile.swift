/// A file that is no JSON text, by what it begins with.
enum ForeignFile: Equatable {
    case compressed(program: String, unpack: String)
    case archive(String)
    case sqlite, utf16, binary, table(separator: String)

    private static let signatures: [([UInt8], ForeignFile)] = [
        ([0x1F, 0x8B], .compressed(program: "gzip", unpack: "gunzip -c")),
        ([0x28, 0xB5, 0x2F, 0xFD], .compressed(program: "zstd", unpack: "zstd -dc")),
        (Array("BZh".utf8), .compressed(program: "bzip2", unpack: "bunzip2 -c")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], .compressed(program: "xz", unpack: "xz -dc")),
        ([0x50, 0x4B, 0x03, 0x04], .archive("ZIP")),
        (Array("SQLite format 3\0".utf8), .sqlite),
        ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16),
    ]

    private static let lengthSeen = 4_096

    /// A text without the byte order mark that some programs write before it.
    ///
    /// - Parameter text: Text in UTF-8.
    /// - Returns: What follows the mark; the text itself when there is none.
    static func withoutMark(_ text: [UInt8]) -> [UInt8] {
        text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    }

    /// Recognises a file; nil for what may be JSON text.
    ///
    /// - Parameter beginning: The first bytes, or all of them.
    init?(beginning: some Collection<UInt8>) {
        let bytes = Self.withoutMark(Array(beginning.prefix(Self.lengthSeen)))
        if let (_, kind) = Self.signatures.first(where: { bytes.starts(with: $0.0) }) {
            self = kind
        } else if bytes.contains(0) {
            self = .binary
        } else if let separator = Self.separator(of: bytes) {
            self = .table(separator: separator)
        } else {
            return nil
        }
    }

    /// What separates the columns, if the text looks like a table of values.
    ///
    /// JSON begins with a bracket, a quote, a digit, a minus, or one of three words, which a title
    /// may do as well; so the first line must have a separator that no JSON text has there.
    private static func separator(of bytes: [UInt8]) -> String? {
        let text = bytes.drop { (0x09...0x0D).contains($0) || $0 == 0x20 }
        let lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        guard let first = lines.first, let byte = first.first, byte != UInt8(ascii: "{"),
            byte != UInt8(ascii: "[")
        else { return nil }
        for (separator, name) in [(",", "commas"), (";", "semicolons"), ("\t", "tabs")] {
            let code = Array(separator.utf8)[0]
            let count = first.count { $0 == code }
            guard count > 0 else { continue }
            // The last line may have been cut off.
            let next = lines.dropFirst().first
            if next == nil || next?.contains(code) == true { return name }
        }
        return nil
    }

    /// Whether it may be read as a table.
    var isTable: Bool {
        if case .table = self { true } else { false }
    }

    /// What it is and what to do, as a sentence.
    var sentence: String {
        switch self {
        case .compressed(let program, let unpack):
            "It is compressed with \(program). Unpack it on the way: \(unpack) FILE | settle import "
                + "DATABASE -"
        case .archive(let kind):
            "It is a \(kind) archive. Unpack it first."
        case .sqlite:
            "It is a database of SQLite. Its program sqlite3 prints a table as JSON: sqlite3 -json "
                + "FILE 'select * from TABLE' | settle import DATABASE -"
        case .utf16:
            "It is text in UTF-16, and JSON is read in UTF-8. Convert it on the way: iconv -f "
                + "UTF-16 -t UTF-8 FILE | settle import DATABASE -"
        case .binary:
            "It is a binary file and no JSON text."
        case .table(let separator):
            "It looks like a table of values with \(separator) between them (CSV), and not like "
                + "JSON. Its rows become documents with: settle import DATABASE --csv"
                + (separator == "commas"
                    ? "" : " --separator \(separator == "tabs" ? "tab" : "';'")")
                + " FILE"
        }
    }
}
