import Foundation
import HTTPTypes
import Settle
public import SettleSync

extension HTTPField.Name {
    fileprivate static let zumoVersion = known("ZUMO-API-VERSION")
    fileprivate static let zumoAuth = known("X-ZUMO-AUTH")
    static let retryAfterField = known("Retry-After")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' is a name that a header may have.")
        }
        return name
    }
}

extension AzureTablesBackend {
    /// Sends a request, with a fresh token once more when the first is refused.
    ///
    /// - Throws: ``ReplicationError`` as the transport does; `unauthorized` for 401.
    func exchange(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil,
        matching version: String? = nil, answerSizeMax: Int = RESTTuning.itemSizeMax
    ) async throws(ReplicationError) -> HTTPAnswer {
        var fields: HTTPFields = [
            .zumoVersion: "2.0.0", .accept: "application/json", .userAgent: "Settle",
        ]
        if body != nil { fields[.contentType] = "application/json" }
        if let version {
            let tag = EntityTag.field(for: version)
            // A field with other characters would be altered on its way, and so match nothing or,
            // worse, something else.
            guard HTTPField.isValidValue(tag) else {
                throw ReplicationError(
                    .protocolViolation,
                    "An item's version has characters that no header can carry.")
            }
            fields[.ifMatch] = tag
        }
        let bytes = body.map { JSONText.text(of: $0) }
        let token = try await tokens.token()
        var request = HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority, path: path,
            headerFields: fields)
        try Self.authorize(&request, with: token)
        let answer = try await transport.send(request, body: bytes, bodySizeMax: answerSizeMax)
        guard answer.response.status == .unauthorized else { return answer }
        if let fresh = try await tokens.token(replacing: token) {
            try Self.authorize(&request, with: fresh)
            let second = try await transport.send(
                request, body: bytes, bodySizeMax: answerSizeMax)
            if second.response.status != .unauthorized { return second }
        }
        let hint = token == nil ? "It wants a token." : "The token is not accepted; get a new one."
        throw ReplicationError(
            .unauthorized, "The server at \(address.authority) does not let us in. \(hint)")
    }

    /// What the token says of the rights it gives: the subject and the channels of its claims.
    ///
    /// Not to be trusted, since nobody has checked the signature; it only tells tokens apart.
    public func scope() async throws(ReplicationError) -> String {
        guard let token = try await tokens.token() else { return "" }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Self.claims(in: parts[1]) else { return "token" }
        let rights: JSONValue = [
            "sub": claims["sub"] ?? .null, "channels": claims["channels"] ?? .null,
        ]
        return String(decoding: JSONText.text(of: rights), as: UTF8.self)
    }

    /// The claims of a token: base64url without padding, of a JSON object.
    private static func claims(in part: Substring) -> JSONValue? {
        let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: base64 + padding),
            let claims = try? JSONText.value(from: [UInt8](bytes)), case .object = claims
        else { return nil }
        return claims
    }

    /// Adds the token, under the name of the newer servers and under that of the older.
    private static func authorize(
        _ request: inout HTTPRequest, with token: String?
    ) throws(ReplicationError) {
        guard let token else { return }
        guard HTTPField.isValidValue(token) else {
            throw ReplicationError(
                .unauthorized, "The token has characters that no header can carry.")
        }
        request.headerFields[.authorization] = "Bearer \(token)"
        request.headerFields[.zumoAuth] = token
    }
}
