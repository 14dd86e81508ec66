import Foundation
import TestSupport
import Testing

@Suite struct `Simulation of devices that are offline and online` {
    /// The seeds, or the one that the environment names.
    private static var seeds: [UInt64] {
        if let text = ProcessInfo.processInfo.environment["SETTLE_COSMOS_SEED"],
            let seed = UInt64(text)
        {
            return [seed]
        }
        return Array(0..<300)
    }

    @Test func `ends with caches equal to the service, nothing lost and nothing written twice`()
        async throws
    {
        // Most of a run waits for the disk.
        try await withThrowingTaskGroup(of: (UInt64, [String]).self) { group in
            var rest = Self.seeds[...]
            for seed in rest.prefix(8) {
                group.addTask { (seed, try await OfflineSimulation.faults(seed: seed)) }
            }
            rest = rest.dropFirst(8)
            for try await (seed, faults) in group {
                #expect(faults == [], "seed \(seed)")
                guard let next = rest.popFirst() else { continue }
                group.addTask { (next, try await OfflineSimulation.faults(seed: next)) }
            }
        }
    }

    @Test(arguments: OfflineSimulation.Break.allCases)
    func `finds a device that is broken`(_ breakage: OfflineSimulation.Break) async throws {
        for seed in UInt64(0)..<30 {
            if try await !OfflineSimulation.faults(seed: seed, breakage: breakage).isEmpty {
                return
            }
        }
        Issue.record("No seed has found it.")
    }
}
