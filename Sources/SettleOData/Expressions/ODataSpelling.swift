/// A literal in a form of its own: servers have several types where JSON has one kind of number, and
/// take a time for that of a column only as they wrote it.
package enum ODataSpelling: Sendable, Hashable {
    /// A number with the suffix `f`.
    case single(Float)
    /// A number with the suffix `M`, by its digits.
    case decimal(String)
    /// A moment for a column of a type without an offset: `datetime'…'` in version 3.
    case dateTime(Instant)
    /// A moment as somebody wrote it: `2026-11-21T03:04:05.1234567+02:00`.
    case timestamp(String)
    /// A moment as a server wrote it, in whatever form: more digits, no colon in the offset, no offset.
    case received(String)
    /// A day or a time of day that no calendar or clock has, which cannot be written.
    case impossible(String)

    /// What it is as a plain literal; null when it is none that is read here.
    var value: ODataValue {
        switch self {
        case .single(let value): Self.literal(value.description)
        case .decimal(let digits): Self.literal(digits)
        case .dateTime(let instant): .instant(instant)
        case .timestamp(let text), .received(let text):
            Instant(text: text).map { .instant($0) } ?? .null
        case .impossible: .null
        }
    }

    private static func literal(_ digits: String) -> ODataValue {
        number(digits).map { .double($0) } ?? .null
    }

    /// The number that digits say; nil when they say none, or none that is finite.
    static func number(_ digits: String) -> Double? {
        let isPlain = digits.utf8.allSatisfy {
            (0x30...0x39).contains($0) || "-+.e".utf8.contains($0)
        }
        guard isPlain, let value = Double(digits), value.isFinite else { return nil }
        return value
    }
}
