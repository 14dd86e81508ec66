import Foundation
import HTTPTypes
import Settle
public import SettleSync
import SettleTableProtocol

extension AzureTablesBackend {
    /// Sends a request, with a fresh token once more when the first is refused.
    ///
    /// - Throws: ``ReplicationError`` as the transport does; `unauthorized` for 401.
    func exchange(
        _ dialect: Dialect, _ method: HTTPRequest.Method, ofItem id: String? = nil,
        query: [QueryParameter] = [], body: [UInt8]? = nil, matching version: String? = nil
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var fields = HTTPFields()
        if body != nil { fields[.contentType] = "application/json" }
        if let version {
            let tag = EntityTag(version: version).text
            // A field with other characters would be altered on its way, and so match nothing or,
            // worse, something else.
            guard HTTPField.isValidValue(tag) else {
                throw ReplicationError(
                    .protocolViolation,
                    "An item's version has characters that no header can carry.")
            }
            fields[.ifMatch] = tag
        }
        let isList = method == .get && id == nil
        // A server that knows it says which rows were removed from our channels.
        if isList { fields[.prefer] = Self.reportingRemovals }
        let response = try await exchange(
            dialect, method, address.path(ofItem: id, query: query + dialect.alwaysAsked),
            fields: fields, body: body,
            answerSizeMax: isList ? RESTTuning.answerSizeMax : RESTTuning.itemSizeMax)
        memory.keepFeatures(of: response)
        return response
    }

    /// What `Prefer` says to get the rows that were removed from our channels.
    static let reportingRemovals = ReaderPreference.removals.rawValue

    /// Sends a request to a path, with a fresh token once more when the first is refused.
    ///
    /// - Throws: ``ReplicationError`` as the transport does; `unauthorized` for 401.
    func exchange(
        _ dialect: Dialect, _ method: HTTPRequest.Method, _ path: String, fields: HTTPFields,
        body bytes: [UInt8]?, answerSizeMax sizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var fields = fields
        fields[.accept] = fields[.accept] ?? "application/json"
        fields[.userAgent] = "Settle"
        if let version = dialect.version { fields[.zumoVersion] = version.text }
        for (name, value) in TraceSpan.outgoingFields where HTTPField.isValidValue(value) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let token = try await tokens.token()
        var request = HTTPRequest(
            method: method, scheme: address.scheme, authority: address.authority, path: path,
            headerFields: fields)
        try Self.authorize(&request, with: token, dialect)
        let response = try await transport.send(request, body: bytes, bodySizeMax: sizeMax)
        guard response.head.status == .unauthorized else { return response }
        if let fresh = try await tokens.token(replacing: token) {
            try Self.authorize(&request, with: fresh, dialect)
            let second = try await transport.send(request, body: bytes, bodySizeMax: sizeMax)
            if second.head.status != .unauthorized { return second }
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
            let claims = try? JSONText.value(from: [UInt8](bytes), largeIntegers: .rounded),
            case .object = claims
        else { return nil }
        return claims
    }

    /// Adds the token, under the names that the server may know it by.
    private static func authorize(
        _ request: inout HTTPRequest, with token: String?, _ dialect: Dialect
    ) throws(ReplicationError) {
        guard let token else { return }
        guard HTTPField.isValidValue(token) else {
            throw ReplicationError(
                .unauthorized, "The token has characters that no header can carry.")
        }
        for field in dialect.tokenFields {
            switch field {
            case .bearer: request.headerFields[.authorization] = "Bearer \(token)"
            case .zumo: request.headerFields[.zumoAuth] = token
            }
        }
    }
}
