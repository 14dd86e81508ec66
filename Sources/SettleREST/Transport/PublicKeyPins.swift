import Foundation
import Settle
public import SettleSync

/// The public keys that servers must have, beside a certificate that is trusted.
///
/// A pin is the SHA-256 of the key in the server's **own** certificate (its subject public key info
/// in DER), in Base64; the keys of the authorities above it do not count. It is printed by
///
/// ```sh
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
///     | openssl dgst -sha256 -binary | base64
/// ```
///
/// Give two at least, the second of a key that is kept in a safe: without one, a server whose key
/// has to be replaced loses all clients.
public struct PublicKeyPins: Sendable, Hashable {
    private let digests: [String: Set<[UInt8]>]

    /// Pins for hosts; hosts that are not named are trusted as usual.
    ///
    /// - Parameter pins: The pins of each host, either bare or with `sha256/` in front. A host is
    ///   named exactly, without a port; those below it are others.
    /// - Throws: ``/SettleSync/ReplicationError`` with `misconfigured` when a host has no pin or is
    ///   written as a URL, or a pin is no SHA-256 in Base64.
    public init(_ pins: [String: [String]]) throws(ReplicationError) {
        var digests: [String: Set<[UInt8]>] = [:]
        for (host, texts) in pins {
            guard !host.isEmpty, !host.contains("/"), !texts.isEmpty else {
                throw ReplicationError(
                    .misconfigured,
                    "The pins for '\(host)' cannot be used: name a host, without a scheme, and at "
                        + "least one pin for it.")
            }
            for text in texts {
                let base64 = text.hasPrefix("sha256/") ? String(text.dropFirst(7)) : text
                guard let digest = Data(base64Encoded: base64), digest.count == 32 else {
                    throw ReplicationError(
                        .misconfigured,
                        "A pin for '\(host)' is not the SHA-256 of a public key in Base64, which "
                            + "has 44 characters.")
                }
                digests[Self.canonical(host), default: []].insert([UInt8](digest))
            }
        }
        self.digests = digests
    }

    /// The hosts that have pins, in lower case and without a dot at the end.
    package var hosts: Set<String> { Set(digests.keys) }

    /// Whether a server may be talked to, as far as its key is concerned.
    ///
    /// - Parameters:
    ///   - host: The host that the request names.
    ///   - key: The subject public key info of its certificate, in DER.
    /// - Returns: False when the host has pins, and the key is none of them.
    package func allow(host: String, key: [UInt8]) -> Bool {
        digests[Self.canonical(host)]?.contains(ContentDigest(of: key).bytes) ?? true
    }

    /// Refuses a request in the clear to a host that has pins: nobody could know who reads it.
    ///
    /// - Parameters:
    ///   - scheme: The request's scheme.
    ///   - host: The host that it names.
    /// - Throws: ``SettleSync/ReplicationError`` with `misconfigured`.
    package func requireEncryption(
        scheme: String?, host: String
    ) throws(ReplicationError) {
        guard digests[Self.canonical(host)] != nil, scheme?.lowercased() != "https" else { return }
        throw ReplicationError(
            .misconfigured,
            "The keys of the server '\(host)' are pinned, but its address does not begin with "
                + "https; nothing was sent.")
    }

    /// A host as the pins are kept by.
    package static func canonical(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }
}
