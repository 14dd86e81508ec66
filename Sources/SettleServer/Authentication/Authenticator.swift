import Foundation
import HTTPTypes
import Logging
import Settle

/// Turns the headers of a request into a sender, or refuses it with 401.
struct Authenticator: Sendable {
    /// Nil for servers that look at no tokens.
    let keys: TokenKeySource?
    private let authentication: Authentication
    private let now: @Sendable () -> Date

    /// Prepares the keys.
    ///
    /// - Parameters:
    ///   - authentication: The way of the configuration.
    ///   - now: The clock that `exp` and `nbf` are compared with.
    ///   - logger: Where it is said when keys cannot be fetched.
    ///   - pace: How often keys are fetched.
    ///   - elapsed: A clock that only goes forward.
    /// - Throws: ``ServerError`` with `invalidConfiguration` for a short secret, a key set that
    ///   cannot be read or is no file of this machine, or an address that is not safe. An address that
    ///   does not answer is only logged: it may do so later.
    init(
        _ authentication: Authentication, now: @escaping @Sendable () -> Date,
        logger: Logger = Logger(label: "settle.server"),
        pace: TokenKeySource.Pace = TokenKeySource.Pace(),
        elapsed: @escaping @Sendable () -> Duration = Uptime.elapsed
    ) async throws {
        self.now = now
        self.authentication = authentication
        switch authentication.method {
        case .anonymous: keys = nil
        case .secret(let secret):
            keys = TokenKeySource(try await TokenKeySet(secret: secret))
        case .keySet(let text):
            keys = TokenKeySource(
                try await TokenKeySet(Array(text.utf8), from: "of the configuration"))
        case .keySetFile(let url):
            try ConfiguredFile.check(url, is: "The key set")
            let source = TokenKeySource(pace: pace, elapsed: elapsed, logger: logger) {
                try await TokenKeySet(try Self.bytes(of: url), from: "'\(url.path)'")
            }
            try await source.load()
            keys = source
        case .keySetURL(let url):
            let download = try KeySetDownload(url, timeMax: pace.fetchMax)
            let source = TokenKeySource(pace: pace, elapsed: elapsed, logger: logger) {
                try await TokenKeySet(try await download.bytes(), from: "of the address")
            }
            do {
                try await source.load()
            } catch let error as ServerError {
                logger.warning("keys", metadata: ["error": "\(error.message)"])
            }
            keys = source
        }
    }

    /// Who sends a request.
    ///
    /// `Authorization: Bearer` counts before `X-ZUMO-AUTH`.
    ///
    /// - Parameter headers: The headers of the request.
    /// - Returns: The sender; without claims when the server looks at no tokens, or there is none
    ///   and none is needed.
    /// - Throws: ``Problem`` 401 with `WWW-Authenticate` when there is no token, or it is forged,
    ///   expired, not yet valid, of an algorithm that does not fit the key, or of another issuer or
    ///   for another audience than expected; 503 when there are no keys yet.
    func sender(of headers: HTTPFields) async throws(Problem) -> Sender {
        try await sender(showing: keys == nil ? nil : Self.token(in: headers))
    }

    /// Who shows a token, wherever it was found; see ``sender(of:)``.
    ///
    /// - Parameter text: The token; nil for a request without one.
    /// - Returns: The sender.
    /// - Throws: As ``sender(of:)``.
    func sender(showing text: String?) async throws(Problem) -> Sender {
        guard let keys else { return .anonymous }
        guard let text else {
            if authentication.allowsAnonymous { return .anonymous }
            throw Self.problem(
                "A token is needed; send it as 'Authorization: Bearer TOKEN'.", code: nil)
        }
        guard let token = SignedToken(text) else {
            throw Self.problem("The token is malformed.")
        }
        guard let keySet = await keys.keys(for: token.keyId) else {
            throw Problem(
                .serviceUnavailable,
                "The server does not have the keys that tokens are checked with yet; try again.",
                headers: [.retryAfter: "30"])
        }
        guard token.isSigned(with: keySet), let claims = token.claims else {
            throw Self.problem(
                "The token's signature is not from a key of this server, or of an algorithm that "
                    + "the key is not for.")
        }
        try check(claims)
        return Sender(claims: claims)
    }

    /// Whether a request is let in although it shows no token, so that nothing says who is behind it.
    func letsInWithoutToken(_ headers: HTTPFields) -> Bool {
        keys == nil || authentication.allowsAnonymous && Self.token(in: headers) == nil
    }

    /// Whether tokens can be checked.
    var isReady: Bool {
        get async { await keys?.isReady ?? true }
    }

    private func check(_ claims: [String: JSONValue]) throws(Problem) {
        let seconds = now().timeIntervalSince1970
        if let expires = try Self.time("exp", in: claims), seconds >= expires {
            throw Self.problem("The token has expired; ask for a new one.")
        }
        if let notBefore = try Self.time("nbf", in: claims), seconds < notBefore {
            throw Self.problem("The token is not valid yet; check the clocks of both sides.")
        }
        if let subject = claims["sub"], subject.stringValue == nil {
            throw Self.problem("The claim 'sub' of the token is not a string.")
        }
        if let issuer = authentication.issuer, claims["iss"]?.stringValue != issuer {
            throw Self.problem("The token is of another issuer than this server trusts.")
        }
        if let audience = authentication.audience {
            let claimed =
                claims["aud"]?.arrayValue?.map(\.stringValue) ?? [claims["aud"]?.stringValue]
            guard claimed.contains(audience) else {
                throw Self.problem("The token is for another audience than this server.")
            }
        }
    }

    private static func time(
        _ name: String, in claims: [String: JSONValue]
    ) throws(Problem) -> Double? {
        guard let claim = claims[name], claim != .null else { return nil }
        guard let seconds = claim.doubleValue else {
            throw problem("The claim '\(name)' of the token is not a number.")
        }
        return seconds
    }

    private static func token(in headers: HTTPFields) -> String? {
        if let value = headers[.authorization] {
            let parts = value.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer" {
                return String(parts[1]).trimmingSpaces
            }
        }
        // A header that has no token in it is no request without a token.
        return headers[.zumoAuth]?.trimmingSpaces ?? headers[.authorization].map { _ in "" }
    }

    /// A claim that gives no rights because it is malformed, and the like.
    static func problem(_ message: String, code: String? = "invalid_token") -> Problem {
        let challenge = "Bearer realm=\"tables\"" + (code.map { ", error=\"\($0)\"" } ?? "")
        return Problem(.unauthorized, message, headers: [.wwwAuthenticate: challenge])
    }

    private static func bytes(of file: URL) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: file))
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The key set '\(file.path)' cannot be read: \(error.localizedDescription)",
                cause: error)
        }
    }
}
