import Foundation
import Settle
import SettleREST
import SettleSync
import Testing

/// What a table may do while it is pulled, and between two pulls.
@Suite(.serialized) struct `Pulls of a living table` {
    private func table(
        _ manner: NaiveTable.Manner = .init(),
        happening: @escaping @Sendable (inout NaiveTable.State) -> Void = { _ in }
    ) -> NaiveTable {
        NaiveTable(manner, happening: happening)
    }

    private func expectAll(_ client: PullingClient, _ table: NaiveTable) {
        let expected = table.change { $0.visible.mapValues { "v\($0.version)" } }
        #expect(client.versions == expected)
    }

    // The hole of the official clients: a row that was read is changed, and those behind it move up.
    @Test func `lose no row of one time when another of it changes meanwhile, unlike skipping`()
        async throws
    {
        for paging in AzureTablesBackend.Paging.allCases {
            let table = table { state in
                guard state.asked.count == 2 else { return }
                state.time += 1_000_000_000
                state.write("e0", digits: 3)
            }
            for index in 0..<6 { table.write("e\(index)") }
            var client = try PullingClient(table, paging: paging)
            try await client.pull(pageSize: 2)
            if paging == .keyset {
                expectAll(client, table)
            } else {
                #expect(client.versions["e2"] == nil, "The official way is known to lose this row.")
            }
        }
    }

    @Test(arguments: [false, true], [3, 7])
    func `bring 2501 rows with one time`(isNew: Bool, storedDigits: Int) async throws {
        var manner = NaiveTable.Manner()
        manner.isNew = isNew
        manner.storedDigits = storedDigits
        let table = table(manner)
        for index in 0..<2_501 {
            // Finer times than shown: all in one millisecond, in no order of identifiers.
            if storedDigits > 3 { table.change { $0.time += 100 } }
            table.write("r\(index * 7_919 % 2_501)")
        }
        var client = try PullingClient(table)
        try await client.pull(pageSize: 250)
        #expect(client.versions.count == 2_501)
        expectAll(client, table)
        // What is drained by identifiers is drained once more at most.
        #expect(table.asked.count <= (storedDigits > 3 ? 16 : 12))
        table.pass(seconds: 60)
        try await client.pull(pageSize: 250)
        let before = table.asked.count
        try await client.pull(pageSize: 250)
        #expect(table.asked.count == before + 1 && client.came.isEmpty)
    }

    @Test func `go on inside one unit of time after a crash`() async throws {
        var manner = NaiveTable.Manner()
        manner.storedDigits = 9
        let table = table(manner)
        for index in 0..<40 {
            table.change { $0.time += 1_000 }
            table.write("r\(index * 7 % 40)")
        }
        table.pass(seconds: 60)
        var client = try PullingClient(table)
        for _ in 0..<30 { try await client.pull(pageSize: 4, pageCountMax: 3) }
        expectAll(client, table)
    }

    /// A row that comes into a unit of time with an identifier that has been passed, and then one
    /// behind the unit, at any two moments of a pull.
    @Test(arguments: [false, true])
    func `see what comes into a unit of time while it is drained`(tellsTime: Bool) async throws {
        var manner = NaiveTable.Manner()
        manner.storedDigits = 7
        manner.tellsTime = tellsTime
        for inside in 1...16 {
            for behind in inside...18 {
                let table = table(manner) { state in
                    if state.asked.count == inside {
                        state.time += 100
                        state.write("a", digits: 7)
                    }
                    if state.asked.count == behind {
                        state.time += 1_000_000
                        state.write("d", digits: 7)
                    }
                }
                table.change { $0.time += 300 }
                for id in ["x", "y"] {
                    table.change { $0.time += 300 }
                    table.write(id)
                }
                var client = try PullingClient(table, name: "\(inside), \(behind)")
                for pageSize in [1, 3, 1] { try await client.pull(pageSize: pageSize) }
                while table.asked.count < behind { try await client.pull(pageSize: 1) }
                try await client.pull(pageSize: 1)
                let expected = table.change { $0.visible.mapValues { "v\($0.version)" } }
                #expect(client.versions == expected, "\(inside), \(behind)")
            }
        }
    }

    @Test func `see a row that was committed after later ones were read`() async throws {
        let table = table()
        table.write("late", committedAfter: 9)
        table.pass(seconds: 1)
        table.write("early")
        var client = try PullingClient(table)
        try await client.pull()
        #expect(client.came == ["early"])
        table.pass(seconds: 8)
        try await client.pull()
        #expect(client.came.contains("late"))
        expectAll(client, table)
    }

    @Test func `read again what is not final, and nothing else`() async throws {
        let table = table()
        table.write("old")
        table.pass(seconds: 100)
        table.write("new")
        var client = try PullingClient(table)
        try await client.pull()
        #expect(client.came == ["old", "new"])
        table.pass(seconds: 5)
        try await client.pull()
        #expect(!client.came.contains("old"))
        table.pass(seconds: 20)
        try await client.pull()
        let token = client.token
        let before = table.asked.count
        table.pass(seconds: 20)
        try await client.pull()
        #expect(client.came.isEmpty && client.token == token)
        #expect(table.asked.count == before + 1)
    }

    @Test(arguments: [3_600.0, 30])
    func `see rows that were written after the server's clock went back`(step: Double) async throws
    {
        let table = table()
        table.write("a")
        table.pass(seconds: 60)
        var client = try PullingClient(table)
        for _ in 0..<2 { try await client.pull() }
        table.pass(seconds: 10)
        table.change { $0.lead -= Int64(step) * 1_000_000_000 }
        table.write("b")
        table.pass(seconds: 10)
        try await client.pull()
        #expect(client.came.contains("b"))
        // And those after them, while the clock still is before what was read first.
        table.pass(seconds: 20)
        table.write("c")
        try await client.pull()
        #expect(client.came.contains("c"))
        expectAll(client, table)
    }

    @Test func `see rows that were written after the clock went back during a pull`() async throws {
        let table = table { state in
            guard state.asked.count == 2 else { return }
            state.lead -= 3_600_000_000_000
            state.write("b", digits: 3)
        }
        for index in 0..<9 {
            table.write("a\(index)")
            table.pass(seconds: 30)
        }
        var client = try PullingClient(table)
        for _ in 0..<2 { try await client.pull(pageSize: 3) }
        expectAll(client, table)
    }

    @Test func `begin again in a table that was made anew or restored`() async throws {
        for isLarge in [false, true] {
            var manner = NaiveTable.Manner()
            if isLarge { manner.extra = String(repeating: "x", count: 2_000) }
            let table = table(manner)
            for id in ["a", "b", "c"] {
                table.write(id)
                table.pass(seconds: 60)
            }
            var client = try PullingClient(table)
            for _ in 0..<2 { try await client.pull() }
            // The backup knows neither the last row nor the newest state of another.
            table.change { state in
                state.rows.removeLast()
                state.rows[0].version = 77
            }
            // A large row is not asked for with every pull.
            if isLarge { table.pass(seconds: 3_601) }
            try await client.pull()
            #expect(client.versions["a"] == "v77", "\(isLarge)")
        }
    }

    @Test func `ask once after a last row that is elsewhere by now`() async throws {
        let table = table()
        for id in ["a", "b"] {
            table.write(id)
            table.pass(seconds: 60)
        }
        var client = try PullingClient(table)
        for _ in 0..<2 { try await client.pull() }
        // Only by its identifier it is found; it left the sight of the query.
        table.change { state in
            state.hidden = ["b"]
            state.write("b", digits: 3)
        }
        let before = table.asked.count
        for _ in 0..<3 { try await client.pull() }
        #expect(table.asked.count == before + 4)
        #expect(client.came.isEmpty)
    }

    @Test(arguments: [false, true])
    func `cost one request below 1 KiB each way when nothing is new`(isNew: Bool) async throws {
        for extra in [0, 200, 5_000] {
            var manner = NaiveTable.Manner()
            manner.isNew = isNew
            manner.extra = String(repeating: "x", count: extra)
            let table = table(manner)
            table.write("0f8fad5b-d9cb-469f-a165-70867728950e")
            table.pass(seconds: 60)
            var client = try PullingClient(table)
            for _ in 0..<2 { try await client.pull(pageSize: 500) }
            let before = table.asked.count
            try await client.pull(pageSize: 500)
            #expect(table.asked.count == before + 1)
            let sizes = table.change { $0.sizes.last ?? [] }
            #expect(sizes.allSatisfy { $0 <= 1_024 } && sizes.count == 2, "\(extra): \(sizes)")
        }
    }

    @Test func `take servers without a clock as far as times go`() async throws {
        var manner = NaiveTable.Manner()
        manner.tellsTime = false
        let table = table(manner)
        table.write("b")
        var client = try PullingClient(table)
        try await client.pull()
        // The same time, and before it by identifier.
        table.write("a")
        try await client.pull()
        expectAll(client, table)
        let before = table.asked.count
        try await client.pull()
        #expect(table.asked.count == before + 1)
    }

    @Test func `list every live row by its identifier`() async throws {
        for isNew in [false, true] {
            var manner = NaiveTable.Manner()
            manner.isNew = isNew
            let table = table(manner)
            for index in 0..<23 { table.write("r\(index)", isDeleted: index % 5 == 0) }
            let client = try PullingClient(table)
            var ids: [String] = []
            var token: PullToken?
            while true {
                let page = try await client.backend.list(PullQuery(), after: token, itemCountMax: 4)
                let found = try #require(page)
                ids += found.items.map(\.id)
                token = found.token
                if found.isLast { break }
            }
            #expect(ids == (0..<23).filter { $0 % 5 != 0 }.map { "r\($0)" }.sorted())
            #expect(table.asked.allSatisfy { $0.contains("$orderby=id&") })
        }
    }

    @Test func `stop at a server that cannot be asked for times or does not sort`() async throws {
        let row = #"{"id":"a","updatedAt":"2021-01-02T00:00:00Z","version":"1"}"#
        let earlier = #"{"id":"b","updatedAt":"2021-01-01T00:00:00Z","version":"1"}"#
        let backend = try AzureTablesBackend(
            url: try #require(URL(string: "http://h/tables/t")),
            transport: FakeTransport([.json(200, "[\(row),\(earlier)]")]), dialect: .v2)
        await #expect {
            try await backend.pull(PullQuery(), after: nil, itemCountMax: 9, isFirstPage: true)
        } throws: {
            ($0 as? ReplicationError)?.code == .protocolViolation
        }
    }
}
