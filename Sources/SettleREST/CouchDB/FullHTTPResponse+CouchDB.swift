import Foundation
import HTTPTypes
import Settle
import SettleSync

extension FullHTTPResponse {
    /// Whether the body says that it is JSON; CouchDB calls it text for clients that do not ask.
    private var mayBeJSON: Bool {
        let type = head.headerFields[.contentType]?.lowercased() ?? ""
        return type.isEmpty || type.contains("json") || type.hasPrefix("text/plain")
    }

    /// The limits of what a server of CouchDB's protocol answers.
    private static let limits = JSONLimits(sizeMax: RESTTuning.answerSizeMax)

    /// The body as a tree.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` with `protocolViolation` when it is no JSON.
    func couchJSON() throws(ReplicationError) -> JSONValue {
        guard mayBeJSON else { throw noJSON }
        do {
            return try JSONText.value(
                from: body, limits: Self.limits, largeIntegers: .rounded)
        } catch {
            throw ReplicationError(
                .protocolViolation,
                "The server answered \(status) with JSON that cannot be read, or not to its end.",
                cause: error)
        }
    }

    private var noJSON: ReplicationError {
        let type = head.headerFields[.contentType]?.prefix(60) ?? ""
        return ReplicationError(
            .protocolViolation,
            "The server answered \(status) with '\(type)' in the place of JSON; something else may "
                + "stand between it and us, such as a login page.")
    }

    /// What may be wrong with JSON that a server has sent whole.
    private static let concernOneDocument: Set<JSONError.Reason> = [
        .integerOutOfRange, .doubleOutOfRange, .duplicateName, .loneSurrogate, .tooDeep, .tooLarge,
    ]

    /// The body with documents in it, packed.
    ///
    /// - Throws: `JSONError` when documents in it cannot be documents here; ``/SettleSync/ReplicationError`` with
    ///   `protocolViolation` when it is no JSON at all.
    func couchDocuments() throws -> PackedValue {
        guard mayBeJSON else { throw noJSON }
        do {
            return try JSONText.packedInPieces(from: body.span, limits: Self.limits)
        } catch  where Self.concernOneDocument.contains(error.reason) {
            throw error
        } catch {
            throw ReplicationError(
                .protocolViolation,
                "The server answered \(status) with JSON that cannot be read, or not to its end.",
                cause: error)
        }
    }

    /// CouchDB's two words for what is wrong; nil when the body has none.
    var couchFault: (error: String, reason: String)? {
        guard mayBeJSON, let json = try? couchJSON(), let error = json["error"]?.stringValue
        else { return nil }
        return (error, json["reason"]?.stringValue ?? "")
    }

    /// The failure that the answer is.
    ///
    /// - Parameter what: What was asked, as in "The server refuses to …".
    /// - Returns: The failure, with CouchDB's words.
    func couchFailure(_ what: String) -> ReplicationError {
        let said = couchFault.flatMap { Self.line(of: "\($0.error): \($0.reason)") }
        let body = Data(self.body.prefix(RemoteRejection.bodySizeMax))
        if status == 404 {
            return ReplicationError(
                .misconfigured,
                "The server has no such database (404). Check the name at the end of the address."
                    + (said.map { " It says: \($0)" } ?? ""),
                statusCode: status, responseBody: body)
        }
        return .failure(
            of: what, status, saying: said, retryAfter: retryAfter, body: body)
    }
}
