import HTTPTypes
import Settle
import SettleOData
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `The work and memory of one list` {
    private static func item(_ number: Int, _ members: [String: JSONValue]) -> TableItem {
        var item = TableItem.sample(members)
        item.id = "r\(number)"
        return item
    }

    @Test func `nested lambdas over a long array end when the budget is used up`() throws {
        let filter = try ODataParser.filter("a/any(x: a/any(y: a/any(z: z eq -1)))")
        let item = Self.item(0, ["a": .array((0..<3000).map { .integer($0) })])
        var limits = ODataLimits()
        limits.stepsMax = 100_000
        let error = #expect(throws: ODataError.self) {
            try ODataEvaluator.isTrue(filter, for: item, limits: limits)
        }
        #expect(error?.message.hasPrefix("The filter takes too much work; ") == true)
    }

    @Test func `every node is one step, and the budget is used to its end`() throws {
        // The comparison, the path and the literal.
        let filter = try ODataParser.filter("n eq 1")
        var limits = ODataLimits()
        limits.stepsMax = 3
        let item = Self.item(0, ["n": 1])
        #expect(try ODataEvaluator.isTrue(filter, for: item, limits: limits))
        limits.stepsMax = 2
        #expect(throws: ODataError.self) {
            try ODataEvaluator.isTrue(filter, for: item, limits: limits)
        }
    }

    @Test func `all items of a walk share one budget, for the filter and the order`() throws {
        var request = PageRequest(top: 5)
        request.filter = try ODataParser.filter("n eq 1")
        request.order = try ODataParser.order("m")
        var limits = ODataLimits()
        limits.stepsMax = 4 * 3
        limits.stepsPerItem = 0
        var collector = PageCollector(
            request: request, identity: .unlimited, isOrdered: false, limits: limits)
        for number in 0..<3 { try collector.collect(Self.item(number, ["n": 1])) }
        #expect(throws: ODataError.self) { try collector.collect(Self.item(3, ["n": 1])) }
        // A plain filter over many items never runs out, since each adds what it takes.
        limits.stepsPerItem = 4
        var long = PageCollector(
            request: request, identity: .unlimited, isOrdered: false, limits: limits)
        for number in 0..<100 { try long.collect(Self.item(number, ["n": 1])) }
    }

    @Test(arguments: ["s eq t", "startswith(s, t)", "v eq w", "s in ('', t)", "o eq o"])
    func `long values take steps by their size`(text: String) throws {
        let long = String(repeating: "x", count: 6400)
        let numbers = JSONValue.array(Array(repeating: 1, count: 100))
        let item = Self.item(
            0,
            [
                "s": .string("a" + long), "t": .string("b" + long), "v": numbers, "w": numbers,
                "o": ["p": numbers],
            ])
        var limits = ODataLimits()
        limits.stepsMax = 100
        let filter = try ODataParser.filter(text)
        #expect(throws: ODataError.self) {
            try ODataEvaluator.isTrue(filter, for: item, limits: limits)
        }
        limits.stepsMax = 1000
        _ = try ODataEvaluator.isTrue(filter, for: item, limits: limits)
    }

    @Test func `a filter that takes too much work is 400 with a sentence`() async throws {
        try await TestServer.run { server in
            let long = String(repeating: "x", count: 400_000)
            let item: JSONValue = [
                "id": "a", "a": .array((0..<3000).map { .integer($0) }),
                "s": .string("a" + long), "t": .string("b" + long),
            ]
            #expect(try await server.send(.post, "/tables/t", item).status == 201)
            let reply = try await server.list(
                "t", [("$filter", "a/any(x: a/any(y: a/any(z: s eq t)))")])
            #expect(reply.status == 400)
            #expect(reply.error?.contains("takes too much work") == true, "\(reply.error ?? "")")
            #expect(reply.error?.contains("xxx") == false)
        }
    }

    @Test func `three lambdas may stand inside one another, more side by side`() throws {
        let three = "a/any(x: b/all(y: c/any(z: z eq 1)))"
        _ = try ODataParser.filter(three)
        _ = try ODataParser.filter("\(three) and \(three)")
        _ = try ODataParser.filter("a/any(x: b/all(y: c/any(z: d/any())))")
        let error = #expect(throws: ODataError.self) {
            try ODataParser.filter("a/any(x: b/all(y: c/any(z: d/any(w: w eq 1))))")
        }
        #expect(error?.message.contains("More than 3") == true)
        #expect(error?.position == 34)
    }

    @Test func `a list ends when its task is cancelled`() async throws {
        try await withScratchDirectory("server") { scratch in
            let store = try LMDBTableStore(
                directory: scratch.url, tableCountMax: 1, indexes: nil)
            let name = try TableName("t")
            let stored = try #require(try await store.table(name, isCreated: true))
            let table = HostedTable(stored: stored)
            _ = try await table.perform(
                ItemWrite(operation: .insert(members: [:]), id: "a"), by: .unlimited,
                now: StepClock().date)
            for (filter, order) in [(nil, "id"), (nil, "updatedAt"), ("id eq 'a'", "id")] {
                var request = PageRequest(top: 5)
                request.filter = try filter.map { try ODataParser.filter($0) }
                request.order = try ODataParser.order(order)
                let asked = request
                #expect(try await table.page(asked, for: .unlimited).items.count == 1)
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return try await table.page(asked, for: .unlimited)
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            await store.close()
        }
    }

    @Test func `the positions of a sorted list have a bound in bytes`() throws {
        var request = PageRequest(top: 20)
        request.order = try ODataParser.order("s")
        var collector = PageCollector(
            request: request, identity: .unlimited, isOrdered: false, positionBytesMax: 10_000)
        let long = JSONValue.string(String(repeating: "x", count: 1000))
        let error = #expect(throws: ODataError.self) {
            for number in 0..<1000 { try collector.collect(Self.item(number, ["s": long])) }
        }
        #expect(error?.message.hasPrefix("The order takes too much memory; ") == true)
    }

    @Test func `a sorted list within the bound in bytes is cut and not refused`() throws {
        var request = PageRequest(top: 3)
        request.order = try ODataParser.order("s")
        request.skip = 2
        var collector = PageCollector(
            request: request, identity: .unlimited, isOrdered: false, positionBytesMax: 10_000)
        var items: [String: TableItem] = [:]
        for number in 0..<300 {
            // 7 has no divisor in common with 300, so every number comes once, out of order.
            let key = String(1000 + number * 7 % 300) + String(repeating: "x", count: 1000)
            let item = Self.item(number * 7 % 300, ["s": .string(key)])
            items[item.id] = item
            try collector.collect(item)
        }
        let page = try collector.page { items[$0] }
        #expect(page.items.map(\.id) == ["r2", "r3", "r4"])
        #expect(page.end?.id == "r4")
    }

    @Test func `only lists that have to be sorted have a largest skip`() async throws {
        try await TestServer.run { server in
            for (order, skip, status) in [
                ("n", 100_000, 200), ("n", 100_001, 400), ("id desc", 100_001, 400),
                ("id", Int.max, 200), ("updatedAt", Int.max, 200),
            ] {
                let reply = try await server.list(
                    "t", [("$orderby", order), ("$skip", "\(skip)")])
                #expect(reply.status == status, "\(order) \(skip)")
                #expect(status == 200 || reply.error?.contains("100000") == true)
            }
        }
    }

    @Test func `ids that look alike are told apart by their bytes`() async throws {
        try await TestServer.run { server in
            let ids = ["e\u{301}", "\u{E9}"]
            for id in ids {
                let reply = try await server.send(.post, "/tables/t", ["id": .string(id)])
                #expect(reply.status == 201)
            }
            for filter in [
                "id in ('\(ids[0])','\(ids[1])')", "id in ('\(ids[1])','\(ids[0])','\(ids[1])')",
                "id eq '\(ids[1])' or id eq '\(ids[0])'",
            ] {
                let reply = try await server.list("t", [("$filter", filter)])
                #expect(reply.ids?.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
            }
        }
    }

    @Test func `refused bodies say what is wrong in words`() async throws {
        try await TestServer.run(bodyMaxBytes: 100) { server in
            let doubled = try await server.send(
                .post, "/tables/t", bytes: Array("{\"a\":1,\"a\":2}".utf8))
            #expect(doubled.status == 400)
            #expect(doubled.error?.contains("two members of one name") == true)
            #expect(doubled.error?.contains("line 1, column 8") == true)
            #expect(doubled.error?.contains("duplicateName") == false)
            let long = try await server.send(
                .post, "/tables/t", ["s": .string(String(repeating: "x", count: 100))])
            #expect(long.status == 413)
            #expect(long.error?.hasPrefix("This server takes items of at most 100 bytes") == true)
        }
    }
}
