import Settle

/// Finds the entities in the text of an interchange, without holding more than one of them.
///
/// Bytes go in in pieces of any size; the text of each element of the list `entities` comes out. What is around the list
/// is kept, to be looked at in the end.
struct InterchangeSplitter {
    /// Why the text is no interchange.
    struct Fault: Error {
        var reason: String
        var offset: Int
    }

    private enum Place {
        /// Outside of the list.
        case around
        /// In the list, where an element or the end may follow.
        case start, afterComma, afterElement
        /// In an element.
        case element
    }

    private var place = Place.around
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// What is around the list.
    private var rest: [UInt8] = []
    /// Where the last string began that is directly in the text's object.
    private var nameStart = 0
    private var name: [UInt8] = []
    private var element: [UInt8] = []
    /// How many bytes were looked at.
    private(set) var offset = 0
    private(set) var hasList = false

    private static let listName = Array("\"\(InterchangeForm.entities)\"".utf8)
    /// How long the text around the entities may be.
    private static let restLengthMax = JSONLimits.default.sizeMax

    /// Takes a piece of text.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - body: Called with the text of each entity that ends in it, and where it began.
    /// - Throws: `Fault`; what `body` throws.
    mutating func take(_ bytes: [UInt8], _ body: ([UInt8], Int) throws -> Void) throws {
        for byte in bytes {
            try take(byte, body)
            offset += 1
        }
    }

    private mutating func take(_ byte: UInt8, _ body: ([UInt8], Int) throws -> Void) throws {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return try keep(byte)
        }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            if place == .element { try keep(byte) }
        case UInt8(ascii: "\""):
            try begin()
            isInString = true
            if place == .around, depth == 1 { nameStart = rest.count }
            try keep(byte)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if place == .around, depth == 1, byte == UInt8(ascii: "["), name == Self.listName {
                guard !hasList else {
                    throw Fault(reason: "There is a second list of entities.", offset: offset)
                }
                hasList = true
                place = .start
                depth = 2
                return rest.append(byte)
            }
            try begin()
            depth += 1
            try keep(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            try end(byte, body)
        case UInt8(ascii: ","):
            guard place == .afterElement || place == .around || place == .element else {
                throw Fault(reason: "A comma has no entity before it.", offset: offset)
            }
            if place == .afterElement { place = .afterComma } else { try keep(byte) }
        case UInt8(ascii: ":"):
            if place == .around, depth == 1 { name = Array(rest[nameStart...]) }
            try keep(byte)
        default:
            try begin()
            try keep(byte)
        }
    }

    /// Begins an element, where one may begin.
    private mutating func begin() throws {
        switch place {
        case .around, .element: return
        case .start, .afterComma: place = .element
        case .afterElement:
            throw Fault(reason: "A comma is missing between two entities.", offset: offset)
        }
    }

    private mutating func end(_ byte: UInt8, _ body: ([UInt8], Int) throws -> Void) throws {
        depth -= 1
        switch place {
        case .around:
            guard depth >= 0 else {
                throw Fault(reason: "There is a bracket too many.", offset: offset)
            }
            if depth == 1 { name = [] }
            try keep(byte)
        case .element where depth >= 2:
            try keep(byte)
            guard depth == 2 else { return }
            place = .afterElement
            let text = element
            element = []
            try body(text, offset + 1 - text.count)
        case .element, .afterComma:
            throw Fault(
                reason: "An entity is an object, and a comma has one after it.", offset: offset)
        case .start, .afterElement:
            guard byte == UInt8(ascii: "]") else {
                throw Fault(reason: "The list of entities ends with ']'.", offset: offset)
            }
            place = .around
            name = []
            rest.append(byte)
        }
    }

    private mutating func keep(_ byte: UInt8) throws {
        if place == .element { element.append(byte) } else { rest.append(byte) }
        guard rest.count <= Self.restLengthMax else {
            throw Fault(
                reason: "The text around the entities has more than \(Self.restLengthMax) bytes.",
                offset: offset)
        }
        guard element.count <= InterchangeForm.entityLengthMax else {
            throw Fault(
                reason: "An entity has more than \(InterchangeForm.entityLengthMax) bytes.",
                offset: offset)
        }
    }

    /// Looks at what was around the list.
    ///
    /// - Throws: `Fault` when the text ended too early, or is no object with a list of entities.
    func finish() throws(Fault) {
        guard place == .around else {
            throw Fault(reason: "The text ends within the list of entities.", offset: offset)
        }
        guard let text = String(validating: rest, as: UTF8.self) else {
            throw Fault(reason: "A string is not UTF-8.", offset: offset)
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(jsonText: text)
        } catch {
            throw Fault(reason: error.message, offset: offset)
        }
        guard case .object = value, hasList else {
            throw Fault(
                reason: "It is no object with a list '\(InterchangeForm.entities)'.", offset: offset
            )
        }
    }
}
