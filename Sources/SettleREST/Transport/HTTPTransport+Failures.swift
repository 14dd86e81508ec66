package import SettleSync

extension ReplicationError {
    /// A response that is larger than what is taken.
    package static func tooLarge(_ bodySizeMax: Int) -> ReplicationError {
        ReplicationError(
            .responseTooLarge,
            "The server's answer is larger than \(bodySizeMax) bytes, and the rest was not read.")
    }

    /// A request whose task was cancelled.
    package static let cancelledRequest = ReplicationError(
        .cancelled, "The task was cancelled during a request.")

    /// A request that got no response.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - host: The server.
    ///   - mayBeSent: Whether some of the request may have been sent all the same, whatever the reason.
    ///   - cause: What the client of HTTP has said.
    /// - Returns: The error.
    package static func noAnswer(
        _ reason: UnansweredReason, host: String, mayBeSent: Bool = false, cause: any Error
    ) -> ReplicationError {
        var error = ReplicationError(.unreachable, reason.sentence(host: host), cause: cause)
        error.isUnsent = reason.isBeforeConnection && !mayBeSent
        return error
    }
}

/// Why there is no response.
package enum UnansweredReason: Sendable, Hashable, CaseIterable {
    /// No address belongs to the name.
    case unknownHost
    /// Nobody listens at the address, or it cannot be got to.
    case refused
    /// This device is not connected.
    case offline
    /// Nothing came for as long as the time-out allows.
    case silent
    /// The connection ended before the response did.
    case cut
    /// The certificate or the encryption is not as it must be.
    case untrusted
    /// The certificate is trusted, but its key has no pin.
    case unpinned
    /// The response is no HTTP, or not the content that it says it is.
    case garbled
    /// Something else.
    case other

    /// Whether there was no connection yet, so that nothing was sent.
    var isBeforeConnection: Bool {
        switch self {
        case .unknownHost, .refused, .offline: true
        case .silent, .cut, .untrusted, .unpinned, .garbled, .other: false
        }
    }

    fileprivate func sentence(host: String) -> String {
        switch self {
        case .unknownHost:
            "The name of the server '\(host)' is not known here; check the address and the "
                + "network."
        case .refused:
            "The server '\(host)' does not take connections; check that it runs, and the port."
        case .offline: "There is no network, so the server '\(host)' cannot be asked."
        case .silent: "The server '\(host)' took too long to say anything."
        case .cut: "The connection to the server '\(host)' ended before the answer did."
        case .untrusted:
            "No trusted connection to the server '\(host)' came about; check its certificate, and "
                + "whether something stands in between."
        case .unpinned:
            "The server '\(host)' has a certificate whose key is not one of the pinned ones; "
                + "nothing was sent to it. Something may stand in between, or its key is new."
        case .garbled: "The server '\(host)' answered with something that is no HTTP."
        case .other: "The server '\(host)' gave no answer."
        }
    }
}
