#if os(Linux)
    import Foundation
    import SettleLMDB
    import TestSupport
    import Testing

    /// The power fails while commits go through a log: `PowerFailureTests` says what the numbers of disks are.
    @Suite(.serialized) struct `When the power fails under a commit log` {
        private static let full = ProcessInfo.processInfo.environment["SETTLE_POWER_FAILURES"]
            .flatMap { Int($0) }
        private static let disks = full ?? 150
        private static let seed = KillSettings.seed

        private func expectSound(
            _ found: (count: Int, faults: [String]), atLeast count: Int, _ name: String
        ) {
            #expect(
                found.faults.isEmpty, "\(name): \(found.faults.count) \(found.faults.prefix(5))")
            #expect(found.count >= count, "\(name)")
        }

        @Test(arguments: ["4", "4 compact 3", "4 idle 3", "4 reopen 3"])
        func `at any moment of a short history, nothing that was reported is lost`(
            steps: String
        ) async throws {
            let recording = try await LogRecording([steps], seed: Self.seed)
            let found = try await LogVerification(recording: recording).everyMoment()
            expectSound(found, atLeast: 20, steps)
        }

        @Test(arguments: [false, true])
        func `at random moments of a long history, nothing that was reported is lost`(
            isRelaxed: Bool
        ) async throws {
            let recording = try await LogRecording(
                ["60 idle 30 compact 40 reopen 40 sync 30"], seed: Self.seed, isRelaxed: isRelaxed)
            let found = try await LogVerification(recording: recording).randomMoments(Self.disks)
            expectSound(found, atLeast: Self.disks / 4, "relaxed \(isRelaxed)")
        }

        @Test func `while two processes write, nothing that was reported is lost`() async throws {
            let recording = try await LogRecording(
                ["40 idle 40 reopen 40", "30 idle 30 idle 30"], seed: Self.seed)
            let found = try await LogVerification(recording: recording).randomMoments(Self.disks)
            expectSound(found, atLeast: Self.disks / 4, "two")
        }

        /// What a log leaves out must be found, or the tests above say nothing.
        @Test(arguments: [
            CommitLogFaults.noDataFlush, .noLogFlush, .noPin, .oneSlot, .replayTwice,
        ])
        func `a condition that is left out is found`(fault: CommitLogFaults) async throws {
            try await expectFound(fault, disks: Self.full == nil ? 60 : 500)
        }

        /// These show on a few of a hundred disks only, so they are for the full run; of one history in many on none.
        @Test(
            .enabled(if: full != nil),
            arguments: [
                CommitLogFaults.noChecksum, .headFirst, .noPadding, .metaOfEnd, .oneSegment,
            ])
        func `a condition that shows rarely is found, too`(fault: CommitLogFaults) async throws {
            try await expectFound(fault, disks: max(500, Self.disks / 20), histories: 4)
        }

        private func expectFound(
            _ fault: CommitLogFaults, disks: Int, histories: UInt64 = 1
        ) async throws {
            for number in 0..<histories {
                let recording = try await LogRecording(
                    ["150"], seed: Self.seed &+ number, faults: fault, mustEndWell: false)
                var verification = LogVerification(recording: recording)
                verification.isolatesDisks = true
                if try await !verification.randomMoments(disks).faults.isEmpty { return }
            }
            Issue.record(
                "\(fault) is not found on \(disks) disks of \(histories) histories, SETTLE_SEED=\(Self.seed)"
            )
        }
    }
#endif
