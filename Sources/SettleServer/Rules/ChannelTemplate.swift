import Settle

/// A channel of a grant: literal text with claims in it, as `user-${sub}`, or `*` for all.
struct ChannelTemplate: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case text(String)
        case claim(String)
    }

    /// Why a template cannot be used: a sentence.
    struct Fault: Error {
        let message: String
    }

    /// Of a template that gives more channels than this for one token, none is given.
    static let channelCountMax = 10_000

    private let parts: [Part]
    /// Whether it is `*`, for every channel and for items without any.
    let isEverything: Bool

    /// Reads a template.
    ///
    /// Shape: any text; `${NAME}` stands for the claim NAME, `$$` for `$`, and `*` alone for all
    /// channels.
    ///
    /// - Throws: ``Fault`` for an empty text, a `$` that is neither, or a claim without a name.
    init(_ text: String) throws(Fault) {
        isEverything = text == "*"
        guard !text.isEmpty else { throw Fault(message: "a channel has at least one character") }
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "$" else {
                literal.append(character)
                continue
            }
            if rest.first == "$" {
                rest.removeFirst()
                literal.append("$")
            } else if rest.first == "{", let end = rest.firstIndex(of: "}") {
                let name = String(rest[rest.index(after: rest.startIndex)..<end])
                guard !name.isEmpty else {
                    throw Fault(message: "'${}' names no claim; write '${NAME}'")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.claim(name))
                rest = rest[rest.index(after: end)...]
            } else {
                throw Fault(
                    message: "'$' begins a claim, '${NAME}'; for the character itself write '$$'")
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    /// Whether the template depends on a token.
    var usesClaims: Bool {
        parts.contains { if case .claim = $0 { true } else { false } }
    }

    /// The channels the template stands for.
    ///
    /// A claim that is a string stands for itself, one that is an array for each of its strings;
    /// whatever else it is, or when it is missing or empty, the template stands for nothing. What a
    /// claim holds is never read as a template: a claim `*` is the channel of that name.
    ///
    /// - Parameter claims: Those of the token.
    /// - Returns: The channels; not meant for ``isEverything``.
    func channels(_ claims: [String: JSONValue]) -> Set<String> {
        var channels: Set<String> = [""]
        for part in parts {
            let values: Set<String>
            switch part {
            case .text(let text): values = [text]
            case .claim(let name): values = Self.values(claims[name])
            }
            guard channels.count * values.count <= Self.channelCountMax else { return [] }
            channels = Set(
                channels.flatMap { channel in values.map { channel + $0 } })
        }
        return channels
    }

    private static func values(_ claim: JSONValue?) -> Set<String> {
        let values = claim?.arrayValue?.compactMap(\.stringValue) ?? [claim?.stringValue ?? ""]
        return Set(values.filter { !$0.isEmpty })
    }
}
