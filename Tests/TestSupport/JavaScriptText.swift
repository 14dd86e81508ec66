package import Settle

/// JSON as a program writes it that has nothing but doubles.
package enum JavaScriptText {
    /// What becomes of a value when such a program reads it.
    ///
    /// Whole numbers that no double holds exactly become the nearest double; a double that is a whole
    /// number of up to 53 bits is one.
    package static func rounded(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer(let number):
            let isExact = number.magnitude <= 1 << 53
            return isExact ? value : rounded(.double(Double(number)))
        case .double(let number):
            guard let whole = Int64(exactly: number), whole.magnitude <= 1 << 53 else {
                return value
            }
            return .integer(whole)
        case .array(let elements): return .array(elements.map(rounded))
        case .object(let members): return .object(members.mapValues(rounded))
        default: return value
        }
    }

    /// The text of a value, numbers as JavaScript writes them.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isExact: Whether whole numbers are written with all their digits, as other languages do, in
    ///     the place of the shortest digits with zeros behind them.
    /// - Returns: The text.
    package static func text(of value: JSONValue, isExact: Bool = false) -> String {
        switch value {
        case .integer(let number): return Self.number(Double(number), isExact)
        case .double(let number): return Self.number(number, isExact)
        case .array(let elements):
            return "[" + elements.map { text(of: $0, isExact: isExact) }.joined(separator: ",")
                + "]"
        case .object(let members):
            let texts = members.sorted { $0.key < $1.key }.map { name, value in
                "\(text(of: .string(name))):\(text(of: value, isExact: isExact))"
            }
            return "{" + texts.joined(separator: ",") + "}"
        default: return String(decoding: JSONText.text(of: value), as: UTF8.self)
        }
    }

    private static func number(_ number: Double, _ isExact: Bool) -> String {
        guard number.rounded() == number, abs(number) < 1e21 else { return "\(number)" }
        let sign = number < 0 ? "-" : ""
        if isExact, let whole = UInt64(exactly: number.magnitude) { return "\(sign)\(whole)" }
        let parts = number.magnitude.description.split(separator: "e+")
        guard parts.count == 2, let exponent = Int(parts[1]) else {
            return sign + parts[0].prefix { $0 != "." }
        }
        let digits = parts[0].filter { $0 != "." }
        return sign + digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    }
}
