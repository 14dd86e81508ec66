import SettlePrimitives

/// How far a JSON text has been read.
///
/// Functions take the text as a parameter because a struct cannot hold a span without giving up
/// being an ordinary value, and the place in it, so that the compiler keeps it in a register.
struct JSONReader {
    typealias Node = PackedPlan.Node

    /// How many nodes one round of reading may need: a member, its name, and its value.
    static let nodesMax = 3

    var index = 0
    private var expectsName = false
    private let depthMax: Int
    private let taking: ByteName?
    private let largeIntegers: JSONLargeIntegers

    init(depthMax: Int, taking: ByteName?, largeIntegers: JSONLargeIntegers) {
        self.depthMax = depthMax
        self.taking = taking
        self.largeIntegers = largeIntegers
    }

    /// Reads on until the value is complete or there is no room for more nodes.
    ///
    /// - Returns: Whether the value is complete.
    /// - Throws: `JSONError` with the reason and the place.
    mutating func read(
        _ text: Span<UInt8>, into state: inout PackedPlanState, _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) -> Bool {
        var index = index
        var expectsName = expectsName
        repeat {
            if nodes.count - state.count < Self.nodesMax {
                self.index = index
                self.expectsName = expectsName
                return false
            }
            Self.skipSpace(text, &index)
            if expectsName {
                try Self.readName(text, &index, &state, &nodes)
                if let taking, state.depth == 1 {
                    try Self.take(taking, text, index, &state, nodes)
                }
                Self.skipSpace(text, &index)
            }
            if try readValue(text, &index, &state, &nodes) {
                try Self.closeFinished(text, &index, &state, &nodes)
            }
            expectsName = state.isInObject
        } while state.depth > 0
        self.index = index
        return true
    }

    /// Reads a value or the opening of a container; false when a value inside it must follow.
    @inline(__always)
    private func readValue(
        _ text: Span<UInt8>, _ index: inout Int, _ state: inout PackedPlanState,
        _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) -> Bool {
        guard index < text.count else { throw .ended(text, "a value") }
        switch text[index] {
        case UInt8(ascii: "\""):
            let string = try Self.readString(text, &index, &state)
            state.string(string.range, isOwn: string.isOwn, &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try readNumber(text, &index, &state, &nodes)
        case UInt8(ascii: "{"):
            return try open(text, &index, until: UInt8(ascii: "}"), &state, &nodes)
        case UInt8(ascii: "["):
            return try open(text, &index, until: UInt8(ascii: "]"), &state, &nodes)
        case UInt8(ascii: "t"):
            try Self.readWord("true", text, &index)
            state.bool(true, &nodes)
        case UInt8(ascii: "f"):
            try Self.readWord("false", text, &index)
            state.bool(false, &nodes)
        case UInt8(ascii: "n"):
            try Self.readWord("null", text, &index)
            state.null(&nodes)
        default: throw .unexpected(text, "a value", at: index)
        }
        return true
    }

    /// Reads what may stand after a value: closing brackets, then a comma if anything is open.
    @inline(__always)
    private static func closeFinished(
        _ text: Span<UInt8>, _ index: inout Int, _ state: inout PackedPlanState,
        _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) {
        while state.depth > 0 {
            skipSpace(text, &index)
            guard index < text.count else {
                throw .ended(text, state.isInObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
            let byte = text[index]
            if byte == UInt8(ascii: ",") {
                index += 1
                return
            }
            guard byte == (state.isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw .unexpected(
                    text, state.isInObject ? "\",\" or \"}\"" : "\",\" or \"]\"", at: index)
            }
            index += 1
            try close(text, &state, &nodes)
        }
    }

    /// Reads an opening bracket; true when the closing one follows it at once.
    private func open(
        _ text: Span<UInt8>, _ index: inout Int, until close: UInt8,
        _ state: inout PackedPlanState, _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) -> Bool {
        guard state.depth < depthMax else {
            throw JSONError(
                .tooDeep,
                "Arrays and objects are nested deeper than \(depthMax); flatten them.", at: index,
                in: text)
        }
        state.open(isObject: close == UInt8(ascii: "}"), &nodes)
        index += 1
        Self.skipSpace(text, &index)
        guard index < text.count, text[index] == close else { return false }
        index += 1
        try Self.close(text, &state, &nodes)
        return true
    }

    private static func close(
        _ text: Span<UInt8>, _ state: inout PackedPlanState, _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) {
        guard let twin = state.close(source: text, &nodes) else { return }
        throw JSONError(
            .duplicateName,
            "An object has two members of one name (or of canonically equivalent names).",
            at: twin, in: text)
    }

    @inline(__always)
    private static func readName(
        _ text: Span<UInt8>, _ index: inout Int, _ state: inout PackedPlanState,
        _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) {
        guard index < text.count else { throw .ended(text, "a name in quotes") }
        guard text[index] == UInt8(ascii: "\"") else {
            throw .unexpected(text, "a name in quotes", at: index)
        }
        let mark = index
        let start = index + 1
        var isShort = false
        if start <= text.count &- 8 {
            // Most names have less than eight bytes, and then one word says all about them.
            let word = text.word(at: start)
            let bit = UInt64(truncatingIfNeeded: ByteWord.special(word).trailingZeroBitCount)
            if bit < 64, (word &>> (bit &- 7)) & 0xFF == 0x22 {
                let count = Int(truncatingIfNeeded: bit &>> 3)
                state.name(
                    start..<(start &+ count), isOwn: false, isASCII: true, mark: mark,
                    prefix: (word & ((1 &<< (bit &- 7)) &- 1)).byteSwapped, &nodes)
                index = start &+ count &+ 1
                isShort = true
            }
        }
        if !isShort {
            let name = try readString(text, &index, &state)
            let prefix =
                name.isOwn ? state.own.span.prefix(in: name.range) : text.prefix(in: name.range)
            state.name(
                name.range, isOwn: name.isOwn, isASCII: name.isASCII, mark: mark, prefix: prefix,
                &nodes)
        }
        skipSpace(text, &index)
        guard index < text.count else { throw .ended(text, "\":\"") }
        guard text[index] == UInt8(ascii: ":") else {
            throw .unexpected(text, "\":\"", at: index)
        }
        index += 1
    }

    /// Notes that the member whose name was just read is the one to leave out, if it is.
    @inline(__always)
    private static func take(
        _ name: ByteName, _ text: Span<UInt8>, _ index: Int, _ state: inout PackedPlanState,
        _ nodes: borrowing MutableSpan<Node>
    ) throws(JSONError) {
        let member = state.count - 2
        guard nodes[member].bits == name.prefix, nodes[member + 1].count == name.count else {
            return
        }
        if name.count > 8 {
            let node = nodes[member + 1]
            let order =
                node.kind == .ownString
                ? state.own.span.order(of: name.text, and: node.range)
                : text.order(of: name.text, and: node.range)
            guard order == 0 else { return }
        }
        if state.taken == nil { state.taken = member }
        var index = index
        skipSpace(text, &index)
        guard index < text.count else { throw .ended(text, "a string") }
        guard text[index] == UInt8(ascii: "\"") else {
            throw JSONError(
                .unexpectedKind, "The member \"\(name.text)\" must be a string; quote it.",
                at: index, in: text)
        }
    }

    /// Reads whole numbers of at most 18 digits itself, which are most.
    @inline(__always)
    private func readNumber(
        _ text: Span<UInt8>, _ index: inout Int, _ state: inout PackedPlanState,
        _ nodes: inout MutableSpan<Node>
    ) throws(JSONError) {
        var place = index
        var value: UInt64 = 0
        while place < text.count, place < index + 18 {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            place += 1
        }
        let isWhole =
            place > index && place < text.count && text[index] != UInt8(ascii: "0")
            && (text[place] == UInt8(ascii: ",") || text[place] == UInt8(ascii: "}"))
        if isWhole {
            index = place
            state.integer(Int64(truncatingIfNeeded: value), &nodes)
            return
        }
        switch try JSONNumber.scan(text, at: &index, largeIntegers: largeIntegers) {
        case .integer(let value): state.integer(value, &nodes)
        case .double(let value): state.double(value, &nodes)
        }
    }

    private static func readWord(
        _ word: StaticString, _ text: Span<UInt8>, _ index: inout Int
    ) throws(JSONError) {
        for byte in word.description.utf8 {
            guard index < text.count else { throw .ended(text, "\"\(word)\"") }
            guard text[index] == byte else { throw .unexpected(text, "\"\(word)\"", at: index) }
            index += 1
        }
    }

    @inline(__always)
    static func skipSpace(_ text: Span<UInt8>, _ index: inout Int) {
        while index < text.count, text[index] <= 0x20 {
            switch text[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    /// Reads a string from its opening quote on.
    @inline(__always)
    private static func readString(
        _ text: Span<UInt8>, _ index: inout Int, _ state: inout PackedPlanState
    ) throws(JSONError) -> (range: Range<Int>, isOwn: Bool, isASCII: Bool) {
        let start = index + 1
        var place = start
        while place <= text.count &- 8 {
            let word = text.word(at: place)
            let special = ByteWord.special(word)
            if special != 0 {
                // The mark is the highest bit of its byte.
                let bit = special.trailingZeroBitCount
                place &+= bit &>> 3
                guard (word &>> UInt64(bit &- 7)) & 0xFF == 0x22 else { break }
                index = place + 1
                return (start..<place, false, true)
            }
            place &+= 8
        }
        let string = try JSONString.scan(text, from: start, at: place, to: &state.own)
        index = string.end
        return (string.range, string.isOwn, string.isASCII)
    }
}

extension JSONError {
    static func ended(_ text: Span<UInt8>, _ expected: String) -> JSONError {
        JSONError(
            .unexpectedEnd, "The text ends where \(expected) must follow.", at: text.count,
            in: text)
    }

    static func unexpected(
        _ text: Span<UInt8>, _ expected: String, at index: Int
    ) -> JSONError {
        JSONError(.unexpectedByte, "Here \(expected) must stand.", at: index, in: text)
    }
}
