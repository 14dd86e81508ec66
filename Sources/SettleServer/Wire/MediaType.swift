/// What a body is, as `Content-Type` says it.
///
/// > Source: RFC 9110, 5.6.2 and 8.3.1.
struct MediaType: Sendable, Equatable {
    /// The type and the subtype, in lower case.
    let essence: String
    /// All of it, as it may stand in a header.
    let text: String

    /// The type of bytes of no known kind.
    static let anyBytes = "application/octet-stream"

    /// Reads `TYPE/SUBTYPE` and its parameters; nil for anything else, such as several types.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let essence = text.prefix { $0 != ";" }.lowercased().trimmingSpaces
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy(Self.isToken) else { return nil }
        self.essence = essence
        self.text = text.trimmingSpaces
    }

    /// Whether it is JSON, of whatever kind.
    var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch Unicode.Scalar(byte) {
                case "a"..."z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^",
                    "_", "`", "|", "~":
                    true
                default: false
                }
            }
    }
}
