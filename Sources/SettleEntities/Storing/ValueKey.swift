import Settle
import SettlePrimitives

/// Values as they stand in the index: a number for key and value, equal for equal ones.
///
/// Different values may share a number, so the value itself has to be looked at. Each row has the number three times, so
/// it has no more bits than it needs: among a million values it is shared with another by one in four thousand.
enum ValueKey {
    private static let bitCount = 32

    /// The number of a value of a key.
    static func number(of value: Primitive, for key: String) -> Int64 {
        number(stored: PrimitiveForm.json(value), for: key)
    }

    /// The number of a value as it is stored.
    static func number(stored json: JSONValue, for key: String) -> Int64 {
        var bytes = Array(key.utf8)
        switch json {
        case .string(let text):
            bytes.append(0)
            bytes.append(contentsOf: text.utf8)
        case .double(let number):
            // Some systems hand a whole number back as an integer.
            let whole = Int64(exactly: number).map { JSONValue.integer($0) }
            bytes.append(1)
            bytes.append(contentsOf: (whole ?? json).jsonText.utf8)
        default:
            bytes.append(1)
            bytes.append(contentsOf: json.jsonText.utf8)
        }
        return Int64(StableHash.of(bytes) >> UInt64(64 - bitCount))
    }
}
