/// Cuts a stream of JSON text into the values it is made of, holding one of them at a time.
///
/// The first character that is not white space decides: `[` begins one array, whose elements may
/// stand anywhere; anything else begins values that stand on a line each (NDJSON). Blank lines and
/// a byte order mark are passed over. Whether a piece is JSON is for the parser to say.
struct RecordSplitter {
    /// One value.
    struct Record: Equatable {
        /// Its text.
        let bytes: [UInt8]
        /// The line it begins on, from 1.
        let line: Int
    }

    private enum State: Equatable {
        case undecided
        case lines
        /// In an array, before an element; `isFirst` until there was one.
        case beforeElement(isFirst: Bool)
        /// In an element, this many brackets deep.
        case element(depth: Int, string: StringState)
        case afterElement
        case afterArray
    }

    private enum StringState: Equatable {
        case outside, inside, escaped
    }

    /// Whether the text turned out to be one array.
    private(set) var isArray = false
    private let sizeMax: Int
    private var state = State.undecided
    private var piece: [UInt8] = []
    private var pieceLine = 1
    private var line = 1
    private var isAtStart = true

    /// A splitter at the beginning of a text.
    ///
    /// - Parameter sizeMax: The most bytes one value may have.
    init(sizeMax: Int = 20 << 20) {
        self.sizeMax = sizeMax
    }

    /// Takes the next bytes and gives out each value that is complete with them.
    ///
    /// - Throws: ``ImportFault``, or what `each` throws; the splitter is of no use afterwards.
    mutating func add(_ bytes: [UInt8], each: (Record) throws -> Void) throws {
        var rest = bytes[...]
        if isAtStart, !rest.isEmpty {
            isAtStart = false
            // A mark cut in two by the reader does not happen: reads are larger than three bytes.
            if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        }
        while !rest.isEmpty {
            if state == .lines {
                try addLine(&rest, each: each)
            } else {
                try add(rest.removeFirst(), each: each)
                if state == .lines { rest = bytes[(rest.startIndex - 1)...] }
            }
        }
    }

    /// Ends the text and gives out a last line without a line end.
    ///
    /// - Throws: ``ImportFault`` when the text ends in the middle of an array, or what `each` throws.
    mutating func end(each: (Record) throws -> Void) throws {
        switch state {
        case .undecided, .afterArray: break
        case .lines: try give(each)
        case .element, .beforeElement, .afterElement:
            throw ImportFault(
                line: line,
                message: "The text ends inside the array; the closing ']' is missing. Is the file "
                    + "complete?")
        }
    }

    private mutating func addLine(
        _ rest: inout ArraySlice<UInt8>, each: (Record) throws -> Void
    ) throws {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        if piece.isEmpty { pieceLine = line }
        piece.append(contentsOf: rest[..<(end ?? rest.endIndex)])
        try checkSize()
        guard let end else {
            rest = []
            return
        }
        rest = rest[(end + 1)...]
        try give(each)
        line += 1
    }

    private mutating func add(_ byte: UInt8, each: (Record) throws -> Void) throws {
        switch state {
        case .lines: preconditionFailure("Lines are taken whole.")
        case .undecided:
            guard !isSpace(byte) else { break }
            isArray = byte == UInt8(ascii: "[")
            state = isArray ? .beforeElement(isFirst: true) : .lines
        case .beforeElement(let isFirst):
            try beforeElement(byte, isFirst: isFirst)
        case .element(let depth, let string):
            try element(byte, depth: depth, string: string, each: each)
        case .afterElement:
            try afterElement(byte)
        case .afterArray:
            guard isSpace(byte) else {
                throw ImportFault(
                    line: line, message: "Text follows the end of the array; one file holds one.")
            }
        }
        if byte == UInt8(ascii: "\n"), state != .lines { line += 1 }
    }

    private mutating func beforeElement(_ byte: UInt8, isFirst: Bool) throws {
        guard !isSpace(byte) else { return }
        switch byte {
        case UInt8(ascii: "]") where isFirst: state = .afterArray
        case UInt8(ascii: ","), UInt8(ascii: "]"):
            throw ImportFault(
                line: line, message: "A value is missing before '\(character(byte))'.")
        default:
            pieceLine = line
            piece = [byte]
            let isString = byte == UInt8(ascii: "\"")
            state = .element(depth: opens(byte) ? 1 : 0, string: isString ? .inside : .outside)
        }
    }

    private mutating func element(
        _ byte: UInt8, depth: Int, string: StringState, each: (Record) throws -> Void
    ) throws {
        switch string {
        case .escaped: state = .element(depth: depth, string: .inside)
        case .inside:
            if byte == UInt8(ascii: "\\") {
                state = .element(depth: depth, string: .escaped)
            } else if byte == UInt8(ascii: "\"") {
                state = .element(depth: depth, string: .outside)
            }
        case .outside:
            if depth == 0, isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                try give(each)
                state = .afterElement
                return try afterElement(byte)
            }
            if byte == UInt8(ascii: "\"") {
                state = .element(depth: depth, string: .inside)
            } else if opens(byte) {
                state = .element(depth: depth + 1, string: .outside)
            } else if closes(byte) {
                guard depth > 0 else {
                    throw ImportFault(line: line, message: "A '}' closes nothing.")
                }
                state = .element(depth: depth - 1, string: .outside)
            }
        }
        piece.append(byte)
        try checkSize()
    }

    private mutating func afterElement(_ byte: UInt8) throws {
        guard !isSpace(byte) else { return }
        switch byte {
        case UInt8(ascii: ","): state = .beforeElement(isFirst: false)
        case UInt8(ascii: "]"): state = .afterArray
        default:
            throw ImportFault(line: line, message: "A comma is missing between two elements.")
        }
    }

    private mutating func give(_ each: (Record) throws -> Void) throws {
        defer { piece.removeAll(keepingCapacity: true) }
        guard piece.contains(where: { !isSpace($0) }) else { return }
        try each(Record(bytes: piece, line: pieceLine))
    }

    private func checkSize() throws {
        guard piece.count > sizeMax else { return }
        throw ImportFault(
            line: pieceLine,
            message: "The value that begins here is larger than \(Quantity.number(sizeMax)) bytes, "
                + "the most a document may have.")
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private func opens(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    private func closes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    private func character(_ byte: UInt8) -> Character {
        Character(Unicode.Scalar(byte))
    }
}
