import Foundation
import SettleREST
import SettleSync
import Synchronization
import TestSupport
import Testing

/// Every row that a table has when it is quiet must have come, whatever happened before.
@Suite(.serialized) struct `Random pulls` {
    /// What a run has of chance.
    private struct Plan {
        var manner = NaiveTable.Manner()
        var hasLateCommits = false
        var clockLeaps = false

        init(_ random: inout SeededGenerator) {
            manner.isNew = Bool.random(using: &random)
            manner.storedDigits = Int.random(in: 0...9, using: &random)
            manner.shownDigits =
                Bool.random(using: &random)
                ? manner.storedDigits : Int.random(in: 0...manner.storedDigits, using: &random)
            manner.dropsZeros = Bool.random(using: &random)
            manner.pageSizeMax = Int.random(in: 1...6, using: &random)
            manner.counts = Bool.random(using: &random)
            manner.tellsTime = Int.random(in: 0..<4, using: &random) > 0
            hasLateCommits = manner.tellsTime && Bool.random(using: &random)
            // A transaction that is open while the clock is put forward is the one thing that
            // cannot be told; see the back-end.
            clockLeaps = manner.tellsTime && !hasLateCommits && Bool.random(using: &random)
        }
    }

    private static func change(
        _ state: inout NaiveTable.State, _ plan: Plan, _ random: inout SeededGenerator
    ) {
        // Who is not told the server's time has no window in which rows may come late: they come in
        // the order of their times.
        if !plan.manner.tellsTime {
            state.time += (plan.manner.storedDigits..<9).reduce(1) { unit, _ in unit * 10 }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            // From within one unit of time to some seconds.
            let exponent = Double.random(in: 0...10, using: &random)
            state.time += Int64(pow(10, exponent).rounded())
        }
        if plan.clockLeaps, Int.random(in: 0..<12, using: &random) == 0 {
            let leap = Int64.random(in: 60...4_000, using: &random) * 1_000_000_000
            state.lead += Bool.random(using: &random) ? leap : -leap
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let isLate = plan.hasLateCommits && Bool.random(using: &random)
            state.write(
                "r\(Int.random(in: 0..<12, using: &random))", digits: plan.manner.storedDigits,
                committedAfter: isLate ? Int64.random(in: 0...9_000_000_000, using: &random) : 0,
                isDeleted: Int.random(in: 0..<5, using: &random) == 0)
        }
    }

    private func run(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let plan = Plan(&random)
        let shared = Mutex(random)
        let isQuiet = Mutex(false)
        let table = NaiveTable(plan.manner) { state in
            guard !isQuiet.withLock({ $0 }) else { return }
            shared.withLock { Self.change(&state, plan, &$0) }
        }
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            table.change { state in shared.withLock { Self.change(&state, plan, &$0) } }
        }
        var client = try PullingClient(table, name: "Seed \(seed)")
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            try await client.pull(
                pageSize: Int.random(in: 1...5, using: &random),
                pageCountMax: Bool.random(using: &random)
                    ? 30 : Int.random(in: 1...4, using: &random))
        }
        isQuiet.withLock { $0 = true }
        table.pass(seconds: 11)
        for _ in 0..<3 { try await client.pull(pageSize: Int.random(in: 1...5, using: &random)) }
        let expected = table.change { $0.visible.mapValues { "v\($0.version)" } }
        let missing = expected.filter { client.versions[$0.key] != $0.value }
        #expect(
            missing.isEmpty,
            "Seed \(seed), \(plan): \(missing.keys.sorted()) never came.\n\(client.token?.text ?? "")"
        )
        // When all is final, nothing comes again.
        table.pass(seconds: 5_000)
        for _ in 0..<2 { try await client.pull() }
        let isAllPast = table.change { state in
            state.rows.allSatisfy { $0.time < state.time + state.lead - 20_000_000_000 }
        }
        if plan.manner.tellsTime && isAllPast {
            #expect(client.came.isEmpty, "Seed \(seed), \(plan): \(client.came) came again.")
        }
    }

    @Test func `bring every row, whatever happens to the table and its clock meanwhile`()
        async throws
    {
        for seed in UInt64(1)...60 { try await run(seed) }
        for _ in 0..<20 { try await run(UInt64.random(in: .min ... .max)) }
    }
}
