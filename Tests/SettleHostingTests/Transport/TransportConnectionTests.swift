import Foundation
import HTTPTypes
import SettleREST
import SettleSync
import Testing

/// What every transport does with connections, and where it goes.
@Suite(.timeLimit(.minutes(60))) struct `Every transport's connections` {
    @Test(arguments: TransportKind.allCases)
    func `are used again`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { server in
            try await kind.run { transport in
                for _ in 0..<20 { _ = try await transport.ask(server, "/a", .post, body: [1]) }
            }
            #expect(server.asked.count == 20)
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `carry many requests at a time, and are few`(kind: TransportKind) async throws {
        try await WireServer.run { asked, wire in
            wire.send(WireAnswer.json("\"\(asked.path)\""))
        } _: { server in
            try await kind.run { transport in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let answer = try await transport.ask(server, "/\(number)")
                            return answer.body == Array("\"/\(number)\"".utf8)
                        }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
            }
            #expect(server.asked.count == 100)
            // Eight at a time; one that was closed at a bad moment may have had a successor.
            #expect((1...16).contains(server.connectionCount), "\(server.connectionCount)")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `are made anew when the server has closed them`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}", fields: "Connection: close\r\n"))
            wire.close()
        } _: { server in
            try await kind.run { transport in
                for _ in 0..<3 { _ = try await transport.ask(server) }
            }
            #expect(server.connectionCount == 3)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `are refused in plain words`(kind: TransportKind) async throws {
        let port = try await WireServer.run({ _, _ in }, { $0.port })
        try await kind.run { transport in
            for (authority, words) in [
                ("127.0.0.1:\(port)", "does not take connections"),
                ("nobody.invalid", "is not known here"),
            ] {
                let error = try #require(await transport.failure(authority: authority))
                #expect(error.code == .unreachable && error.isUnsent)
                #expect(error.message.contains(words), "\(error)")
                #expect(error.cause != nil)
                #expect(!"\(error)".contains("secret"))
            }
        }
    }

    @Test(arguments: TransportKind.allCases, [301, 302, 303, 307, 308])
    func `lead a read on within the origin`(kind: TransportKind, status: Int) async throws {
        try await WireServer.run { asked, wire in
            switch asked.path {
            case "/here":
                wire.send(WireAnswer.redirection(to: "/a/there?x=%27", status: status))
            case "/whole":
                let host = asked.header("Host") ?? ""
                wire.send(WireAnswer.redirection(to: "http://\(host)/a", status: status))
            default: wire.send(WireAnswer.json("\"\(asked.path)\""))
            }
        } _: { server in
            try await kind.run { transport in
                let answer = try await transport.ask(server, "/here")
                #expect(answer.body == Array(#""/a/there?x=%27""#.utf8))
                #expect(server.asked.last?.header("Authorization") == "Bearer secret")
                let whole = try await transport.ask(server, "/whole")
                #expect(whole.body == Array(#""/a""#.utf8))
                for method in [HTTPRequest.Method.post, .patch, .delete] {
                    let write = try await transport.ask(
                        server, "/here", method, body: method == .delete ? nil : [1])
                    #expect(write.head.status.code == status)
                }
            }
            #expect(server.asked.count == 7)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `never carry a token to another origin`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.json("{}"))
        } _: { other in
            let places = [
                "http://127.0.0.1:\(other.port)/t", "http://localhost:\(other.port)/t",
                "//127.0.0.1:\(other.port)/t", "https://127.0.0.1:\(other.port)/t",
            ]
            try await WireServer.run { asked, wire in
                let number = Int(asked.path.dropFirst()) ?? 0
                wire.send(WireAnswer.redirection(to: places[number]))
            } _: { server in
                try await kind.run { transport in
                    for number in places.indices {
                        let answer = try await transport.ask(server, "/\(number)")
                        #expect(answer.head.status.code == 307, "\(places[number])")
                    }
                }
            }
            #expect(other.asked.isEmpty)
            #expect(other.connectionCount == 0)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `do not go round for ever`(kind: TransportKind) async throws {
        try await WireServer.run { _, wire in
            wire.send(WireAnswer.redirection(to: "/"))
        } _: { server in
            let error = try await kind.run { await $0.failure(server) }
            #expect(error != nil)
            #expect(server.asked.count < 100)
        }
    }
}
