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

        /// Steps, and whether commits go through the log.
        struct Short: Sendable, CustomTestStringConvertible {
            let steps: String
            var isLogged = false
            var testDescription: String { isLogged ? "\(steps), with the log" : steps }
        }

        /// Commits enough for the log to be used.
        static let several = "batch batch batch batch batch batch"

        @Test(arguments: [
            Short(steps: ""), Short(steps: "batch"), Short(steps: "batch compact batch"),
            Short(steps: "batch build"), Short(steps: "grow batch"),
            Short(steps: "batch reopen batch"), Short(steps: "", isLogged: true),
            Short(steps: several, isLogged: true),
        ])
        func `at any moment of a short history, nothing that was reported is lost`(
            short: Short
        ) async throws {
            let (seed, steps) = (PowerSettings.seed, short.steps)
            let history = try await PowerHistory(
                [.init(lane: 0, steps: steps)], seed: seed, isLogged: short.isLogged)
            let verification = PowerVerification(history: history)
            // Every moment of the log has its own tests, below documents.
            if short.isLogged, !PowerSettings.isFull {
                expectSound(try await verification.randomMoments(60, seed: seed), steps)
            } else {
                expectSound(try await verification.everyMoment(seed: seed), steps)
            }
        }

        @Test(arguments: [false, true], [false, true])
        func `at random moments of a long history, nothing that was reported is lost`(
            isRelaxed: Bool, isLogged: Bool
        ) async throws {
            let seed = PowerSettings.seed
            let steps =
                "\(Self.several) query batch compact \(Self.several) grow batch batch build batch query "
                + "reopen \(Self.several) batch compact query batch batch batch"
            let history = try await PowerHistory(
                [.init(lane: 0, steps: steps)], seed: seed, isRelaxed: isRelaxed,
                isLogged: isLogged)
            let verification = PowerVerification(history: history)
            let count = PowerSettings.disks * (isLogged ? 3 : 1) / 20
            expectSound(
                try await verification.randomMoments(count, seed: seed), atLeast: count / 4, steps)
        }

        @Test func `while a database of an older format is upgraded, it is of one or the other`()
            async throws
        {
            let seed = PowerSettings.seed
            let fixture = Fixture.url("Stores/format-3.settle/data.mdb")
            let history = try await PowerHistory(
                [.init(lane: 0, steps: "batch")], seed: seed
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
                [.init(lane: 0, steps: steps), .init(lane: 1, steps: steps)], seed: seed)
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
                seed: seed, isLogged: false)
            var verification = PowerVerification(history: history)
            verification.flush = flush
            verification.isolatesDisks = true
            let found = try await verification.randomMoments(
                PowerSettings.disksOfMutant, seed: seed)
            #expect(!found.faults.isEmpty, "\(flush), SETTLE_SEED=\(seed)")
        }
    }
#endif
