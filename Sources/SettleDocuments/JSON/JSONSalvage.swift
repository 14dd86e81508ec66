/// What can be read of a JSON text of which parts are wrong.
///
/// One number that no double holds does not make a page of five hundred rows unreadable: where a text
/// cannot be read as a whole, its members or elements are read one by one, and so on for some levels.
/// What is wrong is left out and named.
package struct JSONSalvage: Sendable {
    /// One step from a value to a part of it.
    package enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// A part that cannot be read.
    package struct Fault: Sendable {
        /// The way from the whole value to the part; empty when it is the value itself.
        package var path: [Step]
        /// What is wrong; its place is counted from the beginning of the part.
        package var error: JSONError
    }

    /// The value, packed when all of it could be read: members that cannot be read are left out, elements
    /// are null.
    package private(set) var form: JSONForm
    /// The value as a tree.
    package var value: JSONValue { form.value }
    /// What was left out, in the order of the text.
    package private(set) var faults: [Fault] = []

    /// Reads a text, part by part where it cannot be read as a whole.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - levels: How many arrays and objects inside one another are taken apart, from the outermost on.
    ///   - limits: How large the text may be, and how deep each part that is read as a whole.
    ///   - largeIntegers: What becomes of whole numbers outside the range of Int64.
    /// - Throws: `JSONError` when the outermost value is wrong itself.
    /// - Complexity: That of reading the text once when nothing is wrong; else once more for each level.
    package init(
        _ text: [UInt8], levels: Int, limits: JSONLimits = .default,
        largeIntegers: JSONLargeIntegers = .refused
    ) throws(JSONError) {
        form = .value(.null)
        do {
            form = .packed(
                try JSONText.packed(from: text.span, limits: limits, largeIntegers: largeIntegers))
        } catch {
            // A text that is too large is not looked at at all.
            guard levels > 0, text.count <= limits.sizeMax,
                let parts = JSONParts(of: text.span)
            else { throw error }
            let reader = Reader(limits: limits, largeIntegers: largeIntegers)
            form = .value(reader.value(parts, of: text.span, levels: levels, [], &faults))
        }
    }

    private struct Reader {
        let limits: JSONLimits
        let largeIntegers: JSONLargeIntegers

        /// Reads a value, or what of it can be read; nil when nothing can.
        func value(
            of text: Span<UInt8>, levels: Int, _ path: [Step], _ faults: inout [Fault]
        ) -> JSONValue? {
            do {
                return try JSONText.value(from: text, limits: limits, largeIntegers: largeIntegers)
            } catch {
                if levels > 0, let parts = JSONParts(of: text) {
                    return value(parts, of: text, levels: levels, path, &faults)
                }
                faults.append(Fault(path: path, error: error))
                return nil
            }
        }

        func value(
            _ parts: JSONParts, of text: Span<UInt8>, levels: Int, _ path: [Step],
            _ faults: inout [Fault]
        ) -> JSONValue {
            switch parts {
            case .elements(let ranges):
                var elements: [JSONValue] = []
                for (index, range) in ranges.enumerated() {
                    let element = value(
                        of: text.extracting(range), levels: levels - 1, path + [.element(index)],
                        &faults)
                    elements.append(element ?? .null)
                }
                return .array(elements)
            case .members(let ranges):
                var members: [String: JSONValue] = [:]
                for range in ranges {
                    do throws(JSONError) {
                        let name = try JSONText.value(from: text.extracting(range.name))
                        guard case .string(let name) = name else { continue }
                        if members[name] != nil {
                            let error = JSONError(
                                .duplicateName, "An object has two members of this name.",
                                at: range.name.lowerBound, in: text)
                            faults.append(Fault(path: path + [.member(name)], error: error))
                            continue
                        }
                        members[name] = value(
                            of: text.extracting(range.value), levels: levels - 1,
                            path + [.member(name)], &faults)
                    } catch {
                        faults.append(Fault(path: path, error: error))
                    }
                }
                return .object(members)
            }
        }
    }
}

/// Where the elements of an array or the members of an object lie in a text.
///
/// Only brackets, quotes, commas and colons are looked at; whether a part is sound, its reader tells.
private enum JSONParts {
    case elements([Range<Int>])
    case members([(name: Range<Int>, value: Range<Int>)])

    /// Finds the parts of the one value that fills the text; nil when it has none, or they cannot be
    /// told apart.
    init?(of text: Span<UInt8>) {
        var index = 0
        JSONReader.skipSpace(text, &index)
        guard index < text.count else { return nil }
        switch text[index] {
        case UInt8(ascii: "["):
            var elements: [Range<Int>] = []
            let isWhole = Self.forEach(text, &index, until: UInt8(ascii: "]")) { index in
                guard let range = Self.skipValue(text, &index) else { return false }
                elements.append(range)
                return true
            }
            guard isWhole else { return nil }
            self = .elements(elements)
        case UInt8(ascii: "{"):
            var members: [(Range<Int>, Range<Int>)] = []
            let isWhole = Self.forEach(text, &index, until: UInt8(ascii: "}")) { index in
                let start = index
                guard Self.skipString(text, &index) else { return false }
                let name = start..<index
                JSONReader.skipSpace(text, &index)
                guard index < text.count, text[index] == UInt8(ascii: ":") else { return false }
                index += 1
                JSONReader.skipSpace(text, &index)
                guard let value = Self.skipValue(text, &index) else { return false }
                members.append((name, value))
                return true
            }
            guard isWhole else { return nil }
            self = .members(members)
        default: return nil
        }
    }

    /// Passes over parts with commas between, from the opening bracket to the end of the text.
    private static func forEach(
        _ text: Span<UInt8>, _ index: inout Int, until close: UInt8,
        _ skipPart: (inout Int) -> Bool
    ) -> Bool {
        index += 1
        JSONReader.skipSpace(text, &index)
        if index < text.count, text[index] == close {
            index += 1
        } else {
            while true {
                JSONReader.skipSpace(text, &index)
                guard skipPart(&index) else { return false }
                JSONReader.skipSpace(text, &index)
                guard index < text.count else { return false }
                let byte = text[index]
                index += 1
                if byte == close { break }
                guard byte == UInt8(ascii: ",") else { return false }
            }
        }
        JSONReader.skipSpace(text, &index)
        return index == text.count
    }

    /// Passes over a value.
    private static func skipValue(_ text: Span<UInt8>, _ index: inout Int) -> Range<Int>? {
        let start = index
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                guard skipString(text, &index) else { return nil }
                if depth == 0 { return start..<index }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return index > start ? start..<index : nil }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return start..<index
                }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return index > start ? start..<index : nil }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Passes over a string from its opening quote on.
    private static func skipString(_ text: Span<UInt8>, _ index: inout Int) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: "\"") else { return false }
        index += 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""):
                index += 1
                return true
            default: index += 1
            }
        }
        return false
    }
}
