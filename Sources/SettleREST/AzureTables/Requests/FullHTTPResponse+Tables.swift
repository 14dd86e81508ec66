import Foundation
import HTTPTypes
import Settle
import SettleSync
import SettleTableProtocol

extension FullHTTPResponse {
    /// The status as a number.
    var status: Int { head.status.code }

    /// The body as JSON, parts of which may be unreadable.
    ///
    /// - Throws: ``ReplicationError`` with `protocolViolation` when it is something else.
    func json() throws(ReplicationError) -> WireJSON {
        let type = head.headerFields[.contentType]?.lowercased() ?? ""
        guard type.isEmpty || type.contains("json") else {
            throw ReplicationError(
                .protocolViolation,
                "The server answered \(status) with '\(type.prefix(60))' in the place of JSON; "
                    + "something else may stand between it and us, such as a login page.")
        }
        do {
            return try WireJSON(body, sizeMax: RESTTuning.answerSizeMax)
        } catch {
            throw ReplicationError(
                .protocolViolation,
                "The server answered \(status) with JSON that cannot be read, or not to its end.",
                cause: error)
        }
    }

    /// Whether the body is a page for people, which the table itself never sends: something else
    /// stands before it, or the site is switched off.
    var isWebPage: Bool {
        head.headerFields[.contentType]?.lowercased().hasPrefix("text/html") ?? false
    }

    /// Whether the server refuses the version of the protocol, before looking at anything else.
    var isAboutVersion: Bool {
        status == 400 && Self.isAboutVersion(sentence)
    }

    /// What the server says is wrong, in its own words; nil when it says nothing readable.
    var sentence: String? {
        let text: String?
        switch try? json().value {
        case let json?: text = ProblemBody.sentence(in: json)
        case nil:
            let type = head.headerFields[.contentType]?.lowercased() ?? ""
            text = type.hasPrefix("text/plain") ? String(decoding: body, as: UTF8.self) : nil
        }
        return text.flatMap { Self.line(of: $0) }
    }

    /// The whole numbers in the server's words, from 1 on.
    ///
    /// > Source: `The limit of '100' for Top query has been exceeded. The value from the incoming request
    /// > is '500'.` (ASP.NET Core OData)
    var numbers: [Int] {
        (sentence ?? "").split { !("0"..."9").contains($0) }.compactMap { Int($0) }
            .filter { $0 > 0 }
    }

    /// A server's words as they are shown: one line, not too long; nil when nothing is left.
    static func line(of text: String) -> String? {
        let shown = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let line = String(String.UnicodeScalarView(shown)).prefix(RESTTuning.sentenceLengthMax)
        return line.isEmpty ? nil : String(line)
    }

    /// The failure that a status stands for when it is not about one item.
    func failure(_ what: String) -> ReplicationError {
        .failure(
            of: what, status, saying: sentence, retryAfter: retryAfter,
            body: Data(body.prefix(RemoteRejection.bodySizeMax)))
    }

    /// How long the server throttles (`Retry-After`).
    var retryAfter: Duration? {
        guard let field = head.headerFields[.retryAfterField] else { return nil }
        // A date is the server's, so it is measured from the server's own time where that is told.
        let seconds =
            Double(field)
            ?? Self.date(field).map { $0.timeIntervalSince(serverTime ?? Date()) }
        guard let seconds, seconds.isFinite else { return nil }
        return .seconds(min(max(seconds, 0), RESTTuning.retryAfterSecondsMax))
    }

    /// What the server's clock showed when it answered; nil when it does not say.
    var serverTime: Date? { head.headerFields[.date].flatMap(Self.date) }

    private static func date(_ field: String) -> Date? {
        HTTPDate.second(of: field).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Whether a server's words are about the version of the protocol.
    static func isAboutVersion(_ sentence: String?) -> Bool {
        guard let sentence = sentence?.lowercased() else { return false }
        return sentence.contains("api version") || sentence.contains("api-version")
    }
}

extension ReplicationError {
    /// The failure that a status stands for when it is not about one item.
    static func failure(
        of what: String, _ status: Int, saying sentence: String?, retryAfter: Duration?, body: Data?
    ) -> ReplicationError {
        func failed(_ code: Code, _ message: String) -> ReplicationError {
            ReplicationError(
                code, message, retryAfter: status == 429 || status >= 500 ? retryAfter : nil,
                statusCode: status, responseBody: body)
        }
        let said = sentence.map { " It says: \($0)" } ?? ""
        return switch status {
        case 429, 503:
            failed(.busy, "The server is busy (\(status)).\(said)")
        case 408, 502, 504:
            failed(.unreachable, "The server could not be reached (\(status)).\(said)")
        case 500...:
            failed(.serverFailed, "The server failed to \(what) (\(status)).\(said)")
        case 403:
            failed(
                .unauthorized, "The server does not allow us to \(what) (403).\(said)")
        case 300..<400:
            failed(
                .misconfigured,
                "The server sends us elsewhere (\(status)), and a token is not taken there; use "
                    + "the table's own address.")
        case 404:
            failed(
                .misconfigured,
                "The server has no such table (404). Check the name at the end of the address.")
        default:
            failed(
                .misconfigured, "The server refuses to \(what) (\(status)).\(said)")
        }
    }
}
