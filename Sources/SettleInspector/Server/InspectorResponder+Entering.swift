import Foundation
import HTTPTypes
import Hummingbird

// How browsers are let in: by the token of an address, or, under a path of a server, by one of the server's.

extension InspectorResponder {
    /// What all addresses begin with.
    var base: String { mount?.path ?? "" }

    private var cookieName: String {
        mount == nil ? "settle-inspector-\(port.number ?? 0)" : "settle-inspector"
    }

    func session(of request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2,
                    parts[0].trimmingCharacters(in: .whitespaces) == cookieName
                else { continue }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }

    func enter(_ token: String) throws -> Response {
        guard let session = doorkeeper.session(for: token) else { throw PageProblem.locked }
        return Response(
            status: .seeOther,
            headers: [
                .location: "/", .setCookie: cookie(session, isSecure: false),
            ])
    }

    // MARK: Letting in under a path of a server

    /// The longest form with a token.
    private static let entryMax = 64 << 10

    /// The page that asks for a token.
    func entry(_ status: HTTPResponse.Status, _ blocks: [Block]) -> Response {
        let form = Form(
            action: base + "/enter",
            fields: [
                Field(
                    name: "token", label: "Token", kind: .secret,
                    hint: "A token of this server with the claim \"inspector\": true.")
            ], button: "Look into the server")
        return html(
            PageFrame(title: "Inspector", base: base, blocks: blocks + [.form(form)]),
            status: status)
    }

    func enter(
        _ request: Request, granting grant: @Sendable (String) async -> PageGrant
    ) async throws -> Response {
        let token = try await form(request, upTo: Self.entryMax).filled("token") ?? ""
        switch await grant(token.trimmingCharacters(in: .whitespacesAndNewlines)) {
        case .refused(let reason): return entry(.unauthorized, [.warning(reason)])
        case .granted(let end):
            let longest = Date(timeIntervalSinceNow: Mount.sessionMax)
            let session = doorkeeper.makeSession(until: min(end ?? longest, longest))
            return Response(
                status: .seeOther,
                headers: [
                    .location: base + "/",
                    .setCookie: cookie(session, isSecure: isSecure(request)),
                ])
        }
    }

    func leave(_ session: String) -> Response {
        doorkeeper.end(session)
        return redirect(to: base + "/")
    }

    private func cookie(_ session: String, isSecure: Bool) -> String {
        "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=\(base)/"
            + (isSecure ? "; Secure" : "")
    }

    /// Whether the browser speaks TLS, with this server or with something before it.
    private func isSecure(_ request: Request) -> Bool {
        request.headers[.origin]?.hasPrefix("https:") ?? false
    }
}
