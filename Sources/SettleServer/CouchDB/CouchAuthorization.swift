import Foundation
import HTTPTypes
import Settle

/// Who sends requests of CouchDB's protocol, and what of a database is theirs: the tokens and the rules of tables.
struct CouchAuthorization: Sendable {
    /// Nil for a server that lets in everybody, with all rights.
    let authenticator: Authenticator?
    let access: Access
    let now: @Sendable () -> Date

    /// Everybody may do everything.
    static let none = CouchAuthorization(
        authenticator: nil, access: Access(rules: nil), now: Date.init)

    /// The name of the cookie that holds a token.
    static let cookieName = "AuthSession"

    private static let wrongPassword = CouchError(
        401, "unauthorized", "Name or password is incorrect.")

    /// Who sends a request.
    ///
    /// A token comes as the password of its subject (`Authorization: Basic`), by itself (`Bearer`), or in the
    /// cookie of a session.
    ///
    /// - Throws: ``CouchError`` 401 for a token that is not good, or a name that is not its subject; 503 when there
    ///   are no keys yet.
    func user(of request: CouchRequest) async throws(CouchError) -> CouchUser {
        guard authenticator != nil else { return .everybody }
        if let header = request.headers["authorization"] {
            let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw Self.wrongPassword }
            switch parts[0].lowercased() {
            case "basic":
                guard let data = Data(base64Encoded: parts[1].trimmingSpaces),
                    let text = String(validating: data, as: UTF8.self),
                    let colon = text.firstIndex(of: ":")
                else { throw Self.wrongPassword }
                return try await user(
                    named: String(text[..<colon]),
                    password: String(text[text.index(after: colon)...]), by: "default")
            case "bearer": return try await user(showing: parts[1].trimmingSpaces, by: "jwt")
            default: throw Self.wrongPassword
            }
        }
        return try await user(showing: Self.cookie(in: request), by: "cookie")
    }

    /// Whether a request is let in although it shows no token, so that nothing says who is behind it.
    ///
    /// - Parameters:
    ///   - authorization: The header with that name.
    ///   - cookie: The cookies.
    /// - Returns: True also for one that shows a token which nobody looks at.
    func letsInWithoutToken(authorization: String?, cookie: String?) -> Bool {
        guard let authenticator, authenticator.keys != nil else { return true }
        let request = CouchRequest("GET", "/", headers: cookie.map { ["cookie": $0] } ?? [:])
        return authenticator.letsInWithoutToken([:]) && authorization == nil
            && Self.cookie(in: request) == nil
    }

    /// Who has a name, and a token for a password.
    func user(
        named name: String, password: String, by handler: String
    ) async throws(CouchError) -> CouchUser {
        let found: CouchUser
        do {
            found = try await user(showing: password, by: handler)
        } catch {
            throw error.status == 401 ? Self.wrongPassword : error
        }
        guard found.name ?? "" == name else { throw Self.wrongPassword }
        return found
    }

    private func user(
        showing token: String?, by handler: String
    ) async throws(CouchError) -> CouchUser {
        guard let authenticator else { return .everybody }
        let sender: Sender
        do {
            sender = try await authenticator.sender(showing: token)
        } catch {
            throw Self.translated(error)
        }
        var user = CouchUser(sender: sender)
        if sender.claims != nil {
            user.token = token
            user.handler = handler
            user.isAdministrator = user.roles.contains(CouchUser.administratorRole)
        }
        return user
    }

    private static func translated(_ problem: Problem) -> CouchError {
        problem.status == .unauthorized
            ? CouchError(401, "unauthorized", problem.message)
            : CouchError(problem.status.code, "service_unavailable", problem.message)
    }

    private static func cookie(in request: CouchRequest) -> String? {
        let cookies = request.headers["cookie"]?.split(separator: ";") ?? []
        for cookie in cookies {
            let sides = cookie.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, String(sides[0]).trimmingSpaces == cookieName else { continue }
            let value = String(sides[1]).trimmingSpaces
            if !value.isEmpty { return value }
        }
        return nil
    }

    /// What a request shows, to be shown once more by what it has the server do.
    func credentials(in request: CouchRequest) -> CouchReplicationOrder.Credentials {
        guard authenticator != nil else { return .none }
        if let header = request.headers["authorization"] {
            return CouchReplicationOrder.Credentials(header: header) ?? .none
        }
        return Self.cookie(in: request).map { .token($0) } ?? .none
    }

    /// What of a database is a sender's.
    ///
    /// - Throws: ``CouchError`` 401 or 403 when nothing is, before anybody knows whether there is such a database.
    func identity(of user: CouchUser, in name: String) throws(CouchError) -> Identity {
        guard authenticator != nil else { return .unlimited }
        var identity: Identity
        do {
            identity = try access.identity(of: user.sender, named: name)
        } catch {
            throw Self.translated(error)
        }
        identity.expires = user.sender.expires
        let mayWrite = identity.mayWriteSomething && identity.operations != [.read]
        guard user.isAdministrator || identity.maySeeSomething || mayWrite else {
            throw CouchError.notMember(user)
        }
        return identity
    }

    /// Whether a sender's token would be taken again.
    func isStillKnown(_ user: CouchUser) async -> Bool {
        guard let authenticator, let token = user.token else { return true }
        return (try? await authenticator.sender(showing: token)) != nil
    }

    /// The header that begins a session, or with no user ends one.
    func cookie(for user: CouchUser?, isSecure: Bool) -> String {
        let rest = "; Version=1; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        guard let token = user?.token else {
            return "\(Self.cookieName)=\(rest); Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
        }
        guard let expires = user?.sender.expires else {
            return "\(Self.cookieName)=\(token)\(rest)"
        }
        let left = max(0, expires - now().timeIntervalSince1970)
        return "\(Self.cookieName)=\(token)\(rest); Max-Age=\(Int(min(left, 1e9)))"
    }
}
