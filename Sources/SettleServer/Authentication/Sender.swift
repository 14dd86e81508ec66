import Settle

/// Who sends a request, as far as the token tells; what is theirs is for the rules to say.
struct Sender: Sendable, Equatable {
    /// The claims of the token; nil for a sender without one.
    var claims: [String: JSONValue]?

    /// A sender without a token.
    static let anonymous = Sender(claims: nil)

    /// The claim `exp`, in seconds since 1970.
    var expires: Double? { claims?["exp"]?.doubleValue }

    /// The claim `sub`.
    var subject: String? { claims?["sub"]?.stringValue }
}
