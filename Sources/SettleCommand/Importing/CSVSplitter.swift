/// Cuts a stream of CSV text into rows, holding one of them at a time.
///
/// As RFC 4180 has it: fields between separators, rows between line ends (CRLF, LF, or CR), a field in quotes may hold
/// both, and a quote twice stands for one. A quote inside a field that does not begin with one is a character like any other.
/// Empty lines and a byte order mark are passed over.
struct CSVSplitter {
    /// A field of a row.
    struct Field: Equatable {
        /// Its bytes, without quotes around them.
        var bytes: [UInt8] = []
        /// Whether quotes stood around it.
        var isQuoted = false
    }

    /// One row.
    struct Row: Equatable {
        /// Its fields, one or more.
        var fields: [Field]
        /// The line it begins on, from 1.
        var line: Int
        /// How long its fields are.
        var byteCount: Int
    }

    private enum State {
        /// Before a field, or in one without quotes.
        case plain
        case quoted
        /// Behind a quote in a field with quotes: its end, or half of a quote.
        case afterQuote
    }

    private let separator: UInt8
    private let sizeMax: Int
    private var state = State.plain
    private var field = Field()
    private var fields: [Field] = []
    private var byteCount = 0
    private var rowLine = 1
    private var line = 1
    /// Whether the last byte was a CR, so that an LF belongs to it.
    private var isAfterReturn = false
    private var isAtStart = true

    /// A splitter at the beginning of a text.
    ///
    /// - Parameters:
    ///   - separator: What stands between fields.
    ///   - sizeMax: The most bytes that a row may have.
    init(separator: UInt8 = UInt8(ascii: ","), sizeMax: Int = 20 << 20) {
        self.separator = separator
        self.sizeMax = sizeMax
    }

    /// Takes the next bytes and gives out each row that is complete with them.
    ///
    /// - Throws: ``ImportFault``, or what `each` throws; the splitter is of no use afterwards.
    mutating func add(_ bytes: [UInt8], each: (Row) throws -> Void) throws {
        var rest = bytes[...]
        if isAtStart, !rest.isEmpty {
            isAtStart = false
            // A mark cut in two by the reader does not happen: reads are larger than three bytes.
            if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        }
        for byte in rest { try add(byte, each: each) }
    }

    /// Ends the text and gives out a last row without a line end.
    ///
    /// - Throws: ``ImportFault`` when the text ends within quotes, or what `each` throws.
    mutating func end(each: (Row) throws -> Void) throws {
        if state == .quoted {
            throw ImportFault(
                line: rowLine,
                message:
                    "A quote in the row that begins here is never closed. Is the file complete?")
        }
        try endRow(each)
    }

    private mutating func add(_ byte: UInt8, each: (Row) throws -> Void) throws {
        defer { isAfterReturn = byte == 0x0D }
        let isLineEnd = byte == 0x0D || byte == 0x0A && !isAfterReturn
        let isSecondHalf = byte == 0x0A && isAfterReturn
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _): try append(byte)
        case (.afterQuote, UInt8(ascii: "\"")):
            try append(byte)
            state = .quoted
        case (_, 0x0A), (_, 0x0D):
            if !isSecondHalf { try endRow(each) }
        case (_, separator): endField()
        case (.afterQuote, _):
            throw ImportFault(
                line: line,
                message:
                    "Text follows a closing quote. A quote inside a field in quotes is written "
                    + "twice.")
        case (.plain, UInt8(ascii: "\"")) where field.bytes.isEmpty && !field.isQuoted:
            field.isQuoted = true
            state = .quoted
        case (.plain, _): try append(byte)
        }
        if isLineEnd {
            line += 1
            if state != .quoted { rowLine = line }
        }
    }

    private mutating func append(_ byte: UInt8) throws {
        field.bytes.append(byte)
        byteCount += 1
        guard byteCount > sizeMax else { return }
        throw ImportFault(
            line: rowLine,
            message:
                "The row that begins here is larger than \(Quantity.number(sizeMax)) bytes, the "
                + "most a document may have.")
    }

    private mutating func endField() {
        fields.append(field)
        field = Field()
        state = .plain
    }

    private mutating func endRow(_ each: (Row) throws -> Void) throws {
        let isEmpty = fields.isEmpty && field == Field()
        endField()
        let row = Row(fields: fields, line: rowLine, byteCount: byteCount)
        (fields, byteCount) = ([], 0)
        if !isEmpty { try each(row) }
    }
}
