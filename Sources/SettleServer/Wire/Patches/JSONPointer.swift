/// A place in a JSON document.
///
/// > Source: RFC 6901.
struct JSONPointer: Sendable, Hashable {
    /// The names of members and the numbers of elements on the way, from the outside in.
    var tokens: [String]

    /// Reads a pointer; nil when it neither is empty nor begins with `/`, and for a `~` that is not
    /// followed by 0 or 1.
    init?(text: String) {
        tokens = []
        guard !text.isEmpty else { return }
        var parts = text.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.removeFirst().isEmpty else { return nil }
        for part in parts {
            guard let token = Self.token(part) else { return nil }
            tokens.append(token)
        }
    }

    init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Whether another place lies inside this one, or is it.
    func isPrefix(of other: JSONPointer) -> Bool {
        other.tokens.starts(with: tokens)
    }

    private static func token(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The place in an array that a token names: digits without a zero in front.
    ///
    /// - Returns: The place; nil when it is none, or not below `bound`.
    static func place(_ token: String, below bound: Int) -> Int? {
        let digits = token.utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"), let place = Int(token),
            place < bound
        else { return nil }
        return place
    }
}
