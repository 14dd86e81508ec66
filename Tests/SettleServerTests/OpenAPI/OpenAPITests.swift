import HTTPTypes
import Settle
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Description of the server` {
    private static let document = OpenAPIDescription.json
    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]

    /// A path of a template, with a value for each parameter.
    private static func example(_ template: String) -> String {
        let values = [
            "{table}": "t", "{id}": "a", "{name}": "x.txt",
            "{digest}": String(repeating: "0", count: 64),
        ]
        return template.split(separator: "/", omittingEmptySubsequences: false)
            .map { values[String($0)] ?? String($0) }.joined(separator: "/")
            + (template.hasSuffix("/changes") ? "?wait=0" : "")
    }

    @Test func `it is served as it is, without version and token`() async throws {
        let authentication = Authentication.jwt(secret: String(repeating: "s", count: 32))
        try await TestServer.run(authentication: authentication) { server in
            let reply = try await server.raw(.get, "/openapi.json")
            #expect(reply.status == 200)
            #expect(reply.json == Self.document)
        }
    }

    @Test func `it says whether the version is required, and how long a wait may be`()
        async throws
    {
        for (version, isRequired) in [(nil, true), (ProtocolVersion.version3, false)] {
            try await TestServer.run(versionWhenMissing: version, stores: [.directory]) { server in
                let reply = try await server.raw(.get, "/openapi.json")
                let parameters = reply.json?["components"]?["parameters"]
                #expect(parameters?["ZUMO-API-VERSION"]?["required"] == .bool(isRequired))
                let without = try await server.raw(.get, "/tables/t")
                #expect(without.status == (isRequired ? 400 : 200))
                let wait = parameters?["wait"]?["schema"]
                #expect(wait?["minimum"] == 0 && wait?["maximum"] == 300)
                let text = reply.json?["info"]?["description"]?.stringValue
                #expect(text?.contains(isRequired ? "must name its version" : "may name") == true)
            }
        }
    }

    @Test func `what the router takes is in it, and nothing else`() async throws {
        try await TestServer.run { server in
            let paths = try #require(Self.document["paths"]?.objectValue)
            #expect(paths.count == Route.Kind.allCases.count)
            for (template, path) in paths {
                for method in Self.methods {
                    let isDescribed = path[method.rawValue.lowercased()] != nil
                    let reply = try await server.send(
                        method, Self.example(template), bytes: Array("{}".utf8))
                    #expect(
                        (reply.status != 405) == isDescribed,
                        "\(method) \(template) \(reply.status)")
                    guard !isDescribed, method != .trace else { continue }
                    let allowed = reply.headers[.allow] ?? ""
                    #expect(!allowed.contains(method.rawValue + ","), "\(allowed)")
                }
            }
            for path in [
                "/", "/openapi", "/tables", "/tables/t/a/b", "/tables/t/operations/x",
                "/tables/t/operations/batch/x", "/tables/t/changes/x", "/healthz/", "/metrics/x",
            ] {
                #expect(try await server.send(.get, path).status == 404, "\(path)")
            }
        }
    }

    @Test func `every answer at a table says which server it is`() async throws {
        try await TestServer.run { server in
            for template in try #require(Self.document["paths"]?.objectValue).keys
            where template.hasPrefix("/tables/") {
                for headers: HTTPFields in [[.zumoVersion: "2.0.0"], [:]] {
                    for method in Self.methods {
                        let reply = try await server.raw(
                            method, Self.example(template), headers: headers)
                        #expect(
                            reply.headers[.zumoServerVersion] == "settle-1"
                                && reply.headers[.settleFeatures]
                                    == "batch, changes, removed, attachments",
                            "\(method) \(template) \(reply.status)")
                    }
                }
            }
        }
    }

    @Test func `every reference leads somewhere, and everything can be reached`() throws {
        var references: Set<String> = []
        Self.forEachObject(Self.document) { object in
            if let reference = object["$ref"]?.stringValue { references.insert(reference) }
        }
        for reference in references {
            let tokens = try #require(JSONPointer(text: String(reference.dropFirst()))).tokens
            var value: JSONValue? = Self.document
            for token in tokens { value = value?[token] }
            #expect(value != nil, "\(reference)")
        }
        let components = try #require(Self.document["components"]?.objectValue)
        for (kind, parts) in components where kind != "securitySchemes" {
            for name in try #require(parts.objectValue).keys {
                #expect(references.contains("#/components/\(kind)/\(name)"), "\(kind) \(name)")
                let isPlain = name.utf8.allSatisfy { byte in
                    let character = Character(Unicode.Scalar(byte))
                    return character.isLetter || character.isNumber || "._-".contains(character)
                }
                #expect(isPlain, "\(name)")
            }
        }
    }

    @Test func `every object has what OpenAPI wants of it`() throws {
        #expect(Self.document["openapi"] == "3.1.0")
        #expect(Self.document["info"]?["title"]?.stringValue != nil)
        #expect(Self.document["info"]?["version"]?.stringValue != nil)
        var names: Set<String> = []
        for (template, path) in try #require(Self.document["paths"]?.objectValue) {
            let members = try #require(path.objectValue)
            let wanted = template.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            let declared = members["parameters"]?.arrayValue ?? []
            #expect(declared.compactMap { $0["name"]?.stringValue } == wanted)
            #expect(declared.allSatisfy { $0["in"] == "path" && $0["required"] == true })
            for (method, operation) in members where method != "parameters" {
                #expect(Self.methods.contains { $0.rawValue.lowercased() == method })
                let name = try #require(operation["operationId"]?.stringValue)
                #expect(names.insert(name).inserted, "\(name)")
                let answers = try #require(operation["responses"]?.objectValue)
                #expect(!answers.isEmpty)
                for (status, answer) in answers {
                    let number = Int(status) ?? 0
                    #expect((200...599).contains(number), "\(status)")
                    #expect(answer["description"]?.stringValue?.isEmpty == false)
                    #expect(answer["content"] == nil || number != 304 && number != 204)
                    #expect(answer["content"] == nil || method != "head")
                }
                if let body = operation["requestBody"] {
                    #expect(body["content"]?.objectValue?.isEmpty == false)
                    #expect(["post", "put", "patch"].contains(method))
                }
                for scheme in operation["security"]?.arrayValue ?? [] {
                    for name in try #require(scheme.objectValue).keys {
                        #expect(
                            Self.document["components"]?["securitySchemes"]?[name] != nil)
                    }
                }
            }
        }
        let parameters = try #require(Self.document["components"]?["parameters"]?.objectValue)
        for parameter in parameters.values {
            #expect(parameter["name"]?.stringValue != nil && parameter["schema"] != nil)
            #expect(["query", "header"].contains(parameter["in"]?.stringValue ?? ""))
        }
    }

    @Test func `a problem looks as the description says, in both versions`() async throws {
        try await TestServer.run { server in
            let schema = Self.document["components"]?["schemas"]?["Problem"]
            let required = try #require(schema?["required"]?.arrayValue)
            let known = try #require(schema?["properties"]?.objectValue)
            for server in [server, server.inVersion3] {
                let filter = try await server.list("t", [("$filter", "text eq")])
                #expect(filter.json?["option"] == "$filter" && filter.json?["position"] == 8)
                let body = try await server.send(
                    .post, "/tables/t", bytes: Array("{\n\"a\" 1}".utf8))
                #expect(body.json?["line"] == 2 && body.json?["column"] == 5)
                let missing = try await server.send(.get, "/tables/t/x")
                for reply in [filter, body, missing] {
                    #expect(reply.headers[.contentType] == "application/problem+json")
                    let problem = try #require(reply.json?.objectValue)
                    #expect(required.allSatisfy { problem[$0.stringValue ?? ""] != nil })
                    #expect(Set(problem.keys).isSubset(of: known.keys))
                    #expect(problem["status"] == .integer(Int64(reply.status)))
                    #expect(problem["detail"] == problem["error"])
                }
                #expect(missing.json?["title"] == "Not Found")
            }
        }
    }

    private static func forEachObject(
        _ value: JSONValue, _ body: ([String: JSONValue]) -> Void
    ) {
        switch value {
        case .object(let members):
            body(members)
            for member in members.values { forEachObject(member, body) }
        case .array(let elements):
            for element in elements { forEachObject(element, body) }
        default: break
        }
    }
}
