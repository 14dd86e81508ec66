#if os(Linux)
    import Foundation
    import Settle
    import StoreChild
    import TestSupport
    import Testing

    /// How many disks are looked at.
    ///
    /// `SETTLE_POWER_FAILURES` is the number of disks of the long histories (1,000 without it; 10,000 in the full
    /// run); of each mutant it is a twentieth, and 500 at least when it is given. `SETTLE_SEED` is a seed that a
    /// failure named.
    private enum PowerSettings {
        static let isFull = ProcessInfo.processInfo.environment["SETTLE_POWER_FAILURES"] != nil
        static let disks =
            ProcessInfo.processInfo.environment["SETTLE_POWER_FAILURES"].flatMap { Int($0) }
            ?? 1_000
        static var disksOfMutant: Int { isFull ? max(500, disks / 20) : 60 }
        static let seed = KillSettings.seed
    }

    /// The power fails at every moment of short histories, and at random ones of long ones.
    @Suite(.serialized) struct `When the power fails` {
        private func expectSound(
            _ found: (count: Int, faults: [PowerVerification.Fault]), atLeast count: Int = 1,
            _ name: String
        ) {
            #expect(found.faults.isEmpty, "\(name): \(found.faults.prefix(5))")
            #expect(found.count >= count, "\(name)")
        }

        @Test(arguments: [
            "", "batch", "batch compact batch", "batch build", "grow batch", "batch reopen batch",
        ])
        func `at any moment of a short history, nothing that was reported is lost`(
            steps: String
        ) async throws {
            let seed = PowerSettings.seed
            let history = try await PowerHistory(
                [.init(lane: 0, steps: steps)], seed: seed, isRelaxed: false)
            let verification = PowerVerification(history: history)
            expectSound(try await verification.everyMoment(seed: seed), steps)
        }

        @Test(arguments: [false, true])
        func `at random moments of a long history, nothing that was reported is lost`(
            isRelaxed: Bool
        ) async throws {
            let seed = PowerSettings.seed
            let steps =
                "batch batch query batch compact batch grow batch batch build batch query "
                + "reopen batch batch batch compact query batch batch batch"
            let history = try await PowerHistory(
                [.init(lane: 0, steps: steps)], seed: seed, isRelaxed: isRelaxed)
            let verification = PowerVerification(history: history)
            let count = PowerSettings.disks * 3 / 10
            expectSound(
                try await verification.randomMoments(count, seed: seed), atLeast: count / 4, steps)
        }

        @Test func `while a database of an older format is upgraded, it is of one or the other`()
            async throws
        {
            let seed = PowerSettings.seed
            let fixture = Fixture.url("Stores/format-3.settle/data.mdb")
            let history = try await PowerHistory(
                [.init(lane: 0, steps: "batch")], seed: seed, isRelaxed: false
            ) { place in
                let folder = place.appendingPathComponent("promise.settle")
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(
                    at: fixture, to: folder.appendingPathComponent("data.mdb"))
            }
            var verification = PowerVerification(history: history)
            verification.isBesideOthers = true
            expectSound(try await verification.everyMoment(seed: seed), "format 3")
        }

        @Test func `while two processes write, nothing that was reported is lost`() async throws {
            let seed = PowerSettings.seed
            let steps = "batch batch query batch batch grow batch reopen batch batch query batch"
            let history = try await PowerHistory(
                [.init(lane: 0, steps: steps), .init(lane: 1, steps: steps)], seed: seed,
                isRelaxed: false)
            let verification = PowerVerification(history: history)
            let count = PowerSettings.disks * 3 / 10
            expectSound(
                try await verification.randomMoments(count, seed: seed), atLeast: count / 4, steps)
        }

        /// A disk that does less than it is asked for must be found, or the tests above say nothing.
        @Test(arguments: [
            SimulatedDisk.Flush.withoutData, .withoutOwnWrites, .ownWritesFirst, .withoutNames,
        ])
        func `a disk that does not flush as it is asked is found`(
            flush: SimulatedDisk.Flush
        ) async throws {
            let seed = PowerSettings.seed
            let history = try await PowerHistory(
                [.init(lane: 0, steps: "batch batch batch compact batch batch query batch")],
                seed: seed, isRelaxed: false)
            var verification = PowerVerification(history: history)
            verification.flush = flush
            verification.isolatesDisks = true
            let found = try await verification.randomMoments(
                PowerSettings.disksOfMutant, seed: seed)
            #expect(!found.faults.isEmpty, "\(flush), SETTLE_SEED=\(seed)")
        }
    }
#endif
