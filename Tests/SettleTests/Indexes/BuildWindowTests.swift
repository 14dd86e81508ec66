import Dispatch
@testable import Settle
import SettleIndexing
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct `A build one of whose documents takes long` {
    /// Eight ranges for each worker are begun before the slowest is done.
    private static let rangesAhead = 8

    @Test(arguments: [2, 3])
    func `maps only so many ranges ahead, and all in the end`(workerCount: Int) async throws {
        try await withDatabase { database async throws in
            let rangeCount = 4
            let window = Self.rangesAhead * workerCount * rangeCount
            try await database.addNumbers(0..<1_000)
            database.indexEngine.pace.withLock { pace in
                pace.rangeCount = rangeCount
                pace.workerCount = workerCount
                pace.storeCountMax = 16
            }
            let calls = MapCalls()
            let isHeld = Atomic(true)
            let mayGoOn = DispatchSemaphore(value: 0)
            let beyond = Gathered<Int>()
            let index = Database.Index(name: "i", version: "1") { document, addIndexRow in
                let number = document["n"] as? Int ?? 0
                if number == 0, isHeld.load(ordering: .acquiring) { mayGoOn.wait() }
                if number >= window, isHeld.load(ordering: .acquiring) { beyond.add(number) }
                calls.note(document.id)
                addIndexRow(number, nil)
            }
            // All of the window but the range whose first document is in hand.
            let reports = Inbox<Int>()
            let building = Task {
                try await database.addIndex(index) { reports.put($0.completed) }
            }
            let ahead = await reports.first { $0 >= window - rangeCount }
            #expect(ahead == window - rangeCount)
            // Whoever could map more has had the time of as many commits.
            for number in 1_000..<1_050 { try await database.addNumbers(number..<number + 1) }
            #expect(beyond.elements == [])
            #expect(calls.total == window - rangeCount)
            #expect(try !database.indexStatus(named: "i").isBuilt)
            isHeld.store(false, ordering: .releasing)
            mayGoOn.signal()
            try await building.value
            #expect(try await database.keys(of: "i") == Array(0..<1_050))
            // Those that came meanwhile are mapped with the others, and as changes.
            let counts = calls.byDocument
            #expect((0..<1_000).allSatisfy { counts[Database.numbered($0).id] == 1 })
            #expect(try await database.check() == [])
        }
    }
}
