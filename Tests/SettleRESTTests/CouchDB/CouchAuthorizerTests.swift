import Foundation
import HTTPTypes
import Settle
import SettleSync
import Testing

@testable import SettleREST

@Suite struct `Who we are to CouchDB` {
    private static let session = answer(
        200, #"{"ok":true,"name":"jo"}"#, cookie: "AuthSession=am86; Version=1; Path=/; HttpOnly")
    private static let information = answer(200, #"{"instance_start_time":"0"}"#)
    private static let refused = answer(401, #"{"error":"unauthorized","reason":"no"}"#)
    private static let password: [String: any Sendable] = [
        CouchBackend.OptionName.user: "jo & co", CouchBackend.OptionName.password: "p=1",
    ]

    private static func answer(
        _ status: Int, _ text: String, cookie: String? = nil
    ) -> FullHTTPResponse {
        var answer = FullHTTPResponse.json(status, text)
        if let cookie { answer.head.headerFields[.setCookie] = cookie }
        return answer
    }

    @Test func `is said by the cookie of a session`() async throws {
        let told = try ToldCouch(
            [Self.session, Self.information, Self.information], options: Self.password)
        _ = try await told.backend.begin()
        _ = try await told.backend.begin()
        #expect(told.lines == ["POST /_session", "GET /db", "GET /db"])
        #expect(told.transport.asked.first?.body == "name=jo%20%26%20co&password=p%3D1")
        #expect(told.header(.cookie) == [nil, "AuthSession=am86", "AuthSession=am86"])
        #expect(told.header(.authorization) == [nil, nil, nil])
    }

    @Test func `is said anew when a cookie is refused, and a renewed one is kept`() async throws {
        let told = try ToldCouch(
            [
                Self.session, Self.refused,
                Self.answer(200, "{}", cookie: "AuthSession=second"),
                Self.answer(200, "{}", cookie: "AuthSession=third"), Self.information,
            ], options: Self.password)
        _ = try await told.backend.begin()
        _ = try await told.backend.begin()
        #expect(
            told.header(.cookie) == [
                nil, "AuthSession=am86", nil, "AuthSession=second", "AuthSession=third",
            ])
    }

    @Test func `goes with each request where there are no sessions`() async throws {
        let told = try ToldCouch(
            [Self.answer(404, "{}"), Self.information], options: Self.password)
        _ = try await told.backend.begin()
        let basic = Data("jo & co:p=1".utf8).base64EncodedString()
        #expect(told.header(.authorization) == [nil, "Basic \(basic)"])
    }

    @Test func `is refused as such`() async throws {
        for (answers, options) in [
            ([Self.refused], Self.password),
            ([Self.session, Self.refused, Self.session, Self.refused], Self.password),
            ([Self.refused], [:]),
            ([Self.refused], [CouchBackend.OptionName.token: "t"]),
        ] as [([FullHTTPResponse], [String: any Sendable])] {
            let told = try ToldCouch(answers, options: options)
            await #expect {
                try await told.backend.begin()
            } throws: {
                ($0 as? ReplicationError)?.code == .unauthorized
            }
        }
    }

    @Test func `is said by a token`() async throws {
        let told = try ToldCouch(
            [Self.information], options: [CouchBackend.OptionName.token: "t"])
        _ = try await told.backend.begin()
        #expect(told.header(.authorization) == ["Bearer t"])
    }
}
