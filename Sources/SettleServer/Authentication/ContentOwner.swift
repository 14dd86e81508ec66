import SettleTableProtocol

/// Whose upload it is: the subject of the token, or without one, whoever has its channels.
///
/// Who knows only a digest must not come to the content by attaching it, so content waits for those who
/// sent it.
package struct ContentOwner: Sendable, Hashable {
    /// The same text for the same owner, in every process; as long as the names of its channels together
    /// when there is no subject.
    package let key: String
    /// Whether all content may be taken, whoever sent it.
    package let takesAll: Bool

    init(_ identity: Identity) {
        takesAll = identity.readable == nil
        if let subject = identity.subject {
            key = "subject \(PercentEncoding.encoded(subject))"
        } else {
            key = "reads \(Self.text(identity.readable)) writes \(Self.text(identity.writable))"
        }
    }

    /// Encoded, so that no name holds what stands between them, or what a store cannot take.
    private static func text(_ channels: Set<String>?) -> String {
        guard let channels else { return "all" }
        return channels.sorted().map(PercentEncoding.encoded).joined(separator: "+")
    }
}
