import Foundation
import HTTPTypes
import SettleSync
import SettleTableProtocol

/// Says who we are to a server of CouchDB's protocol.
///
/// With a name and a password it begins a session, whose cookie goes with each request and is asked for anew
/// when it is refused; a server without sessions gets name and password each time.
actor CouchAuthorizer {
    /// What we have to show.
    enum Means: Sendable {
        case nothing
        case token(TokenKeeper)
        case password(name: String, password: String)
    }

    /// What a request carries.
    enum Credentials: Sendable, Hashable {
        case nothing
        case bearer(String)
        case cookie(String)
        case basic(String)

        /// Puts them into a request.
        ///
        /// - Throws: ``/SettleSync/ReplicationError`` with `unauthorized` when no header can carry them.
        func authorize(_ request: inout HTTPRequest) throws(ReplicationError) {
            let (name, value): (HTTPField.Name, String)
            switch self {
            case .nothing: return
            case .bearer(let token): (name, value) = (.authorization, "Bearer \(token)")
            case .basic(let text): (name, value) = (.authorization, "Basic \(text)")
            case .cookie(let text): (name, value) = (.cookie, text)
            }
            guard HTTPField.isValidValue(value) else {
                throw ReplicationError(
                    .unauthorized, "The token has characters that no header can carry.")
            }
            request.headerFields[name] = value
        }
    }

    /// Sends the request that begins a session, with this body.
    typealias Login = @Sendable (_ form: [UInt8]) async throws(ReplicationError) -> FullHTTPResponse

    static let cookieName = "AuthSession"

    private let means: Means
    /// The session, or what stands in its place; nil before the first request.
    private var current: Credentials?

    init(_ means: Means) {
        self.means = means
    }

    /// What a request carries.
    ///
    /// - Throws: ``/SettleSync/ReplicationError`` when no credentials can be had.
    func credentials(_ login: Login) async throws(ReplicationError) -> Credentials {
        switch means {
        case .nothing: return .nothing
        case .token(let keeper): return Self.credentials(try await keeper.token())
        case .password(let name, let password):
            if let current { return current }
            return try await begin(name, password, login)
        }
    }

    /// Others in the place of credentials that were refused; nil when there are none.
    func credentials(
        replacing refused: Credentials, _ login: Login
    ) async throws(ReplicationError) -> Credentials? {
        switch means {
        case .nothing: return nil
        case .token(let keeper):
            guard case .bearer(let token) = refused else { return nil }
            return try await keeper.token(replacing: token).map { .bearer($0) }
        case .password(let name, let password):
            if let current, current != refused { return current }
            guard case .cookie = refused else { return nil }
            return try await begin(name, password, login)
        }
    }

    /// Keeps the cookie that a response renews.
    func note(_ response: FullHTTPResponse) {
        guard case .cookie? = current, let cookie = Self.cookie(in: response) else { return }
        current = .cookie(cookie)
    }

    private static func credentials(_ token: String?) -> Credentials {
        token.map { .bearer($0) } ?? .nothing
    }

    private func begin(
        _ name: String, _ password: String, _ login: Login
    ) async throws(ReplicationError) -> Credentials {
        let form =
            "name=\(PercentEncoding.encoded(name))&password=\(PercentEncoding.encoded(password))"
        let response = try await login(Array(form.utf8))
        switch response.head.status.code {
        case 200..<300, 400, 404, 405, 501: break
        case 401:
            throw ReplicationError(
                .unauthorized, "The server does not know this name with this password.")
        default: throw response.couchFailure("begin a session")
        }
        let begun =
            Self.cookie(in: response).map { Credentials.cookie($0) }
            ?? .basic(Data("\(name):\(password)".utf8).base64EncodedString())
        current = begun
        return begun
    }

    /// The cookie of a session, with its name; nil when the response has none.
    private static func cookie(in response: FullHTTPResponse) -> String? {
        for field in response.head.headerFields[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }
            guard pair.hasPrefix("\(cookieName)="), pair.count > cookieName.count + 1 else {
                continue
            }
            return String(pair)
        }
        return nil
    }
}
