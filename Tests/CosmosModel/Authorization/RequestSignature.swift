import Crypto
import Foundation

/// The signature of a request by a key of the account.
///
/// > Source: Cosmos DB REST API, "Access control on Cosmos DB resources".
package enum RequestSignature {
    /// The text that is signed.
    ///
    /// - Parameters:
    ///   - method: The verb, in any case of letters.
    ///   - kind: The kind of the resources, such as `docs`.
    ///   - link: The link of the resource, of a feed that of its parent.
    ///   - date: The header `x-ms-date`, or else "".
    ///   - plainDate: The header `date` where there is no `x-ms-date`.
    /// - Returns: Five lines, each with its end.
    package static func payload(
        method: String, kind: String, link: String, date: String, plainDate: String = ""
    ) -> String {
        """
        \(method.lowercased())
        \(kind.lowercased())
        \(link)
        \(date.lowercased())
        \(plainDate.lowercased())

        """
    }

    /// The signature of a text, in base64; nil when the key is not base64.
    package static func signature(of payload: String, key: String) -> String? {
        guard let bytes = Base64.decode(key) else { return nil }
        let digest = HMAC<SHA256>.authenticationCode(
            for: Data(payload.utf8), using: SymmetricKey(data: bytes))
        return Base64.encode(Array(digest))
    }
}
