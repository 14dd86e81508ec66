/// Whose requests are counted together, and share what there is of the server.
package enum SenderKey: Hashable, Sendable {
    case subject(String)
    case address(String)

    /// The subject of a token, or else where a request comes from.
    package init(subject: String?, address: String?) {
        self = subject.map(SenderKey.subject) ?? .address(address ?? "")
    }
}
