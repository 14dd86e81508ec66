import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

/// A table of a program that has nothing but doubles.
private struct JavaScriptTable: HTTPTransport {
    let table: ModelTable
    /// Whether it writes all digits of a whole number.
    var isExact = false

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let heard = body.flatMap { try? JSONText.value(from: $0, largeIntegers: .rounded) }
        let kept = heard.map { JSONText.text(of: JavaScriptText.rounded($0)) }
        var answer = try await table.send(request, body: kept, bodySizeMax: bodySizeMax)
        if let json = try? JSONText.value(from: answer.body) {
            answer.body = Array(JavaScriptText.text(of: json, isExact: isExact).utf8)
        }
        return answer
    }
}

/// A table of a server that keeps what it is sent, and says so as `settle serve` does.
private struct ExactTable: HTTPTransport {
    let table = ModelTable()

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try await table.send(request, body: body, bodySizeMax: bodySizeMax).offering("removed")
    }
}

/// A way on which every write is delivered twice, and the second answer comes back.
private struct DoubledTable: HTTPTransport {
    let table: JavaScriptTable

    func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        let answer = try await table.send(request, body: body, bodySizeMax: bodySizeMax)
        if request.method == .get { return answer }
        return try await table.send(request, body: body, bodySizeMax: bodySizeMax)
    }
}

/// Databases that replicate with servers that write and round large numbers.
@Suite(.serialized) struct `Large numbers on their way` {
    private struct Device {
        let scratch: ScratchDirectory
        let database: Database

        init() async throws {
            scratch = try ScratchDirectory("numbers")
            let configuration = Database.OpenDatabaseConfiguration(
                name: "db", fileLocation: scratch.url,
                completionQueue: DispatchQueue(label: "settle.tests.completion"),
                durability: .relaxed)
            database = try #require(try await Database.open(with: configuration, create: true))
        }

        func put(_ id: String, _ members: [String: JSONValue]) async throws {
            var document = Document(id: id)
            for (name, value) in members { document[json: name] = value }
            try await database.save(document)
        }

        @discardableResult
        func replicate(
            _ table: any HTTPTransport, _ handler: ConflictHandler = .leave,
            _ change: (inout ReplicationConfiguration) -> Void = { _ in }
        ) async throws -> ReplicationSummary {
            var configuration = ReplicationConfiguration(
                url: try #require(URL(string: "http://h/tables/t")), options: ["transport": table])
            configuration.conflictHandler = handler
            configuration.retryLimit = 0
            change(&configuration)
            return try await database.replicate(with: configuration)
        }

        func members(_ id: String) async throws -> [String: JSONValue]? {
            try await database.fetchDocument(id)?.json
        }

        func revision(_ id: String) async throws -> String? {
            try await database.fetchDocument(id)?.metaData.revision
        }
    }

    private static let large: [String: JSONValue] = [
        "max": .integer(.max), "min": .integer(.min), "odd": 9_007_199_254_740_993,
        "long": 1_234_567_890_123_456_789, "e20": 1e20, "one": 1.0,
        "nested": ["a": [9_007_199_254_740_993, ["b": .integer(.max)]]],
    ]

    @Test(arguments: [false, true])
    func `of ours stay exact here, and others get what the server made of them`(
        isExact: Bool
    ) async throws {
        let (a, b) = (try await Device(), try await Device())
        let table = JavaScriptTable(table: ModelTable(), isExact: isExact)
        try await a.put("x", Self.large)
        let revision = try await a.revision("x")
        #expect(try await a.replicate(table).pushed == 1)
        #expect(try await a.members("x") == Self.large)
        #expect(try await a.revision("x") == revision)
        #expect(try await b.replicate(table).pulled == 1)
        let there = try #require(try await b.members("x"))
        #expect(there["max"] == .double(9_223_372_036_854_775_808))
        #expect(there["e20"] == 1e20)
        #expect(there["odd"] == 9_007_199_254_740_992)
        #expect(
            there.mapValues(JavaScriptText.rounded)
                == Self.large.mapValues(JavaScriptText.rounded))

        // Another changes something else: what was rounded stays, what was changed comes.
        var edited = there
        edited["new"] = 1
        try await b.put("x", edited)
        try await b.replicate(table)
        #expect(try await a.replicate(table).pulled == 1)
        var expected = Self.large
        expected["new"] = 1
        #expect(try await a.members("x") == expected)
        // And back, without a conflict.
        expected["new"] = 2
        try await a.put("x", expected)
        #expect(try await a.replicate(table).pushed == 1)
        #expect(try await b.replicate(table).pulled == 1)
        #expect(try await b.members("x")?["new"] == 2)
        #expect(try await a.replicate(table).pulled == 0)
        #expect(try await a.members("x") == expected)
        // Another number in the place of one of ours is adopted.
        edited = try #require(try await b.members("x"))
        edited["odd"] = 7
        try await b.put("x", edited)
        try await b.replicate(table)
        try await a.replicate(table)
        expected["odd"] = 7
        #expect(try await a.members("x") == expected)
    }

    @Test(arguments: [false, true], [false, true])
    func `of ours stay exact when the document is made again behind a deletion that was sent`(
        pulls: Bool, editsAgain: Bool
    ) async throws {
        for isExact in [false, true] {
            let device = try await Device()
            let table = JavaScriptTable(table: ModelTable(), isExact: isExact)
            func replicate(_ direction: ReplicationDirection = .bidirectional) async throws {
                try await device.replicate(table, .latestWins) {
                    $0.direction = direction
                }
            }
            func number(_ value: Int64) -> [String: JSONValue] {
                ["n": .integer(value), "list": [.integer(value), ["max": .integer(.max)]]]
            }
            try await device.put("x", number(9_007_199_254_740_993))
            try await replicate()
            try await device.database.delete(documentWithId: "x")
            try await replicate()
            try await device.put("x", number(9_007_199_254_740_995))
            if pulls { try await replicate(.serverToClient) }
            if editsAgain {
                var document = try #require(try await device.database.fetchDocument("x"))
                for (name, value) in number(9_007_199_254_740_997) {
                    document[json: name] = value
                }
                try await device.database.save(document)
            }
            let expected = number(9_007_199_254_740_995 + (editsAgain ? 2 : 0))
            for _ in 0..<3 {
                try await replicate()
                #expect(try await device.members("x") == expected)
            }
            await device.database.close()
        }
    }

    @Test(arguments: [false, true])
    func `of ours are recognised when the server shows the next one like the last`(
        isDoubled: Bool
    ) async throws {
        func members(_ number: Int64, _ count: Int64) -> [String: JSONValue] {
            ["n": .integer(number), "list": [.integer(number)], "count": .integer(count)]
        }
        let device = try await Device()
        let model = ModelTable()
        let table = JavaScriptTable(table: model)
        // Both are 9007199254740996 to a program with doubles only.
        try await device.put("x", members(9_007_199_254_740_995, 1))
        try await device.replicate(table)
        let second = members(9_007_199_254_740_997, 2)
        try await device.put("x", second)
        if isDoubled {
            #expect(try await device.replicate(DoubledTable(table: table)).conflicts == 0)
        } else {
            model.loseAnswers(1)
            _ = try? await device.replicate(table)
        }
        let summary = try await device.replicate(table)
        #expect(summary.conflicts == 0 && summary.conflictsResolved == 0)
        #expect(try await device.members("x") == second)
        #expect(try await device.replicate(table).pushed == 0)
        await device.database.close()
    }

    @Test func `of ours are recognised when the answer was lost`() async throws {
        let device = try await Device()
        let model = ModelTable()
        let server = JavaScriptTable(table: model)
        try await device.put("x", Self.large)
        model.loseAnswers(1)
        _ = try? await device.replicate(server)
        #expect(model.writeCount == 1)
        let summary = try await device.replicate(server)
        #expect(summary.conflicts == 0)
        #expect(model.writeCount == 1)
        #expect(try await device.members("x") == Self.large)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `of ours are recognised when a request was delivered twice`() async throws {
        let device = try await Device()
        let table = DoubledTable(table: JavaScriptTable(table: ModelTable()))
        for count in 1...2 {
            var members = Self.large
            members["count"] = .integer(Int64(count))
            try await device.put("x", members)
            #expect(try await device.replicate(table).conflicts == 0)
            #expect(try await device.members("x") == members)
            #expect(try device.database.pendingOperations().isEmpty)
        }
    }

    @Test func `of ours are no edit of ours when conflicts are merged`() async throws {
        let (a, b) = (try await Device(), try await Device())
        let table = JavaScriptTable(table: ModelTable())
        try await a.put("x", ["n": 9_007_199_254_740_993, "a": 0, "b": 0])
        try await a.replicate(table)
        try await b.replicate(table)
        try await b.put("x", ["n": 5, "a": 0, "b": 1])
        try await b.replicate(table)
        try await a.put("x", ["n": 9_007_199_254_740_993, "a": 1, "b": 0])
        try await a.replicate(table, .merge)
        #expect(try await a.members("x") == ["n": 5, "a": 1, "b": 1])
    }

    @Test func `that are neighbours are two edits on a server that keeps them exactly`()
        async throws
    {
        let (a, b) = (try await Device(), try await Device())
        let table = ExactTable()
        try await a.put("x", ["n": 9_007_199_254_740_993])
        try await a.replicate(table)
        try await b.replicate(table)
        #expect(try await b.members("x") == ["n": 9_007_199_254_740_993])
        // One edit arrives at the other.
        try await b.put("x", ["n": 9_007_199_254_740_992])
        try await b.replicate(table)
        #expect(try await a.replicate(table).pulled == 1)
        #expect(try await a.members("x") == ["n": 9_007_199_254_740_992])
        // Two are a conflict.
        try await a.put("x", ["n": 9_007_199_254_740_994])
        try await a.replicate(table)
        try await b.put("x", ["n": 9_007_199_254_740_995])
        #expect(try await b.replicate(table).conflicts == 1)
        // And two inserts as well.
        try await a.put("y", ["n": 9_007_199_254_740_992])
        try await a.replicate(table)
        try await b.put("y", ["n": 9_007_199_254_740_993])
        #expect(try await b.replicate(table, .serverWins).conflictsResolved == 2)
        #expect(try await b.members("y") == ["n": 9_007_199_254_740_992])
    }

    @Test func `of others do not stop a pull`() async throws {
        let device = try await Device()
        let row =
            #"{"updatedAt":"2021-01-03T00:00:00.500Z","version":"MQ==","deleted":false,"#
        let page =
            #"[\#(row)"id":"a","n":9223372036854775808,"m":[100000000000000000000]},"#
            + #"\#(row)"id":"b","n":1e400},\#(row)"id":"c","n":-9223372036854775809}]"#
        let transport = FakeTransport([.json(200, page), .json(200, "[]")])
        var configuration = ReplicationConfiguration(
            url: try #require(URL(string: "http://h/tables/t")),
            options: ["transport": transport as any HTTPTransport])
        configuration.retryLimit = 0
        let summary = try await device.database.replicate(with: configuration)
        #expect(summary.pulled == 2)
        #expect(summary.skipped == 1)
        #expect(try await device.members("a") == ["n": 9_223_372_036_854_775_808.0, "m": [1e20]])
        #expect(try await device.members("c") == ["n": -9_223_372_036_854_775_808.0])
        let item = try #require(try device.database.setAsideItems().first)
        #expect(item.id == "b" && item.member == "n" && item.remote == "http://h/tables/t")
    }
}
