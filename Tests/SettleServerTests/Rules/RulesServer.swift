import Settle
import TestSupport

@testable import SettleServer

/// A server with rules and a secret, and tokens for it.
enum RulesServer {
    static let secret = "0123456789abcdef0123456789abcdef"

    /// Runs a test with a server that has these rules for the table `t`.
    static func run(
        _ table: String, allowsAnonymous: Bool = false, stores: [TestStore] = TestStore.all,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let authentication = Authentication.jwt(secret: secret)
        try await TestServer.run(
            authentication: allowsAnonymous ? authentication.allowingAnonymous() : authentication,
            stores: stores,
            configure: {
                $0.rules = try AccessRules(json: "{\"tables\": {\"t\": \(table)}}".utf8)
            }, test)
    }

    /// A token with claims.
    static func token(
        _ subject: String, _ claims: [String: JSONValue], _ server: TestServer
    ) async throws -> String {
        try await TableServer.token(
            secret: secret, subject: subject, claims: claims, now: server.clock.date)
    }
}
