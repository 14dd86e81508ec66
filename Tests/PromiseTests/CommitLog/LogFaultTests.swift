#if os(Linux)
    import Foundation
    import LogChild
    import SettleLMDB
    import TestSupport
    import Testing

    /// Calls of a child fail that commits through a log, the first, the second, and so on; or it is killed.
    @Suite(.serialized) struct `A commit log whose process fails` {
        struct Failure: Sendable, CustomTestStringConvertible {
            let calls: String
            let error: String
            let manner: String
            var testDescription: String { "\(calls), \(error), \(manner)" }

            static let all = [
                Failure(calls: "fsync,fdatasync", error: "EIO", manner: "fail"),
                Failure(calls: "fsync,fdatasync", error: "ENOSPC", manner: "late"),
                Failure(calls: "pwrite,writev,pwritev", error: "EIO", manner: "fail"),
                Failure(calls: "pwrite,writev,pwritev", error: "ENOSPC", manner: "late"),
                Failure(calls: "pwrite,writev,pwritev", error: "EIO", manner: "short"),
            ]
        }

        private static let seed = KillSettings.seed

        /// The child opens the database anew and goes on; then the power fails.
        @Test(arguments: Failure.all)
        func `reports nothing that a power failure then takes away`(failure: Failure) async throws {
            var failed = 0
            // Half of the two pages that a file begins with may be what is left of a longer one, and is refused.
            var number = failure.manner == "short" ? 2 : 1
            while true {
                let scratch = try ScratchDirectory("log-faults")
                let log = scratch.file("log")
                let recording = try await LogRecording(
                    ["25"], seed: Self.seed,
                    environment: [
                        "SETTLE_FAULT_CALLS": failure.calls, "SETTLE_FAULT_FIRST": "\(number)",
                        "SETTLE_FAULT_ERROR": failure.error, "SETTLE_FAULT_MANNER": failure.manner,
                        "SETTLE_FAULT_LOG": log.path,
                    ], mustEndWell: false)
                if try String(contentsOf: log, encoding: .utf8).isEmpty { break }
                failed += 1
                let found = try await LogVerification(recording: recording).randomMoments(4)
                #expect(
                    found.faults.isEmpty,
                    "\(failure.testDescription), call \(number): \(found.faults)")
                number += number < 12 ? 1 : number / 4
                withExtendedLifetime(scratch) {}
            }
            #expect(failed > 5)
        }

        /// One process has the log and waits while another is killed; then the first goes on, and is killed or closes the
        /// database.
        ///
        /// The other is killed at the first call with which it changes or flushes a file, at the second, and so on, among
        /// them those with which it takes the log over. The first waits between two commits, or in the 19th, which is too large for a
        /// record, between the commit and the storage checkpoint.
        @Test(arguments: [
            (["10", "pause", "25", "die"], CommitLogFaults()),
            (["10", "pause", "25", "die"], .noClaim), (["linger", "19", "die"], CommitLogFaults()),
            (["linger", "19"], CommitLogFaults()), (["linger", "19"], .trustsOthers),
        ])
        func `loses nothing when another process is killed while it takes the log over`(
            steps: [String], faults: CommitLogFaults
        ) async throws {
            var problems: [String] = []
            var killed = 0
            while let found = try await goOn(steps, afterKillOfOtherAtCall: killed + 1, faults) {
                killed += 1
                if let problem = found.problem { problems.append("call \(killed): \(problem)") }
            }
            #expect(killed > 8)
            #expect(problems.isEmpty == faults.isEmpty, "\(problems)")
        }

        /// What is wrong then; nil when the other process ended before so many calls.
        private func goOn(
            _ steps: [String], afterKillOfOtherAtCall number: Int, _ faults: CommitLogFaults
        ) async throws -> (problem: String?, Void)? {
            let scratch = try ScratchDirectory("log-takeover")
            let program = try BuiltFile.find("LogChild")
            let shim = try FaultShim.library()
            let log = scratch.file("calls")
            @Sendable func words(_ lane: Int, _ steps: [String]) -> [String] {
                ["write", scratch.path, "\(Self.seed)", "full", "\(faults.rawValue)", "\(lane)"]
                    + steps
            }
            let path = scratch.path
            let reported = try await onThread { () -> [Int] in
                var reported = [0, 0]
                func take(_ line: String) -> Bool {
                    let parts = line.split(separator: " ")
                    guard parts.first == "commit", let lane = Int(parts[1]),
                        let number = Int(parts[2])
                    else { return line == "paused" }
                    reported[lane] = number
                    return false
                }
                let owner = try LineProcess(
                    program, words(0, steps), errors: scratch.file("owner"))
                while let line = try owner.nextLine(), !take(line) {}
                let other = try LineProcess(
                    program, words(1, ["3", "die"]),
                    environment: [
                        "LD_PRELOAD": shim.path, "SETTLE_FAULT_LOG": log.path,
                        "SETTLE_FAULT_CALLS": "fsync,fdatasync,pwrite,writev,pwritev",
                        "SETTLE_FAULT_FIRST": "\(number)", "SETTLE_FAULT_MANNER": "kill",
                    ], errors: scratch.file("other"))
                while let line = try other.nextLine() { _ = take(line) }
                _ = other.ending()
                try Data().write(to: scratch.file("goOn"))
                while let line = try owner.nextLine() { _ = take(line) }
                _ = owner.ending()
                return reported
            }
            guard try !String(contentsOf: log, encoding: .utf8).isEmpty else { return nil }
            let examination = LogExamination(
                model: LogModel(seed: Self.seed), reported: reported, isRelaxed: false)
            let problem = try await onThread { examination.problem(in: path) }
            withExtendedLifetime(scratch) {}
            return (problem, ())
        }

        @Test(arguments: [(1, false), (1, true), (2, false)])
        func `loses nothing that was reported when it is killed`(
            lanes: Int, isRelaxed: Bool
        ) async throws {
            var generator = SeededGenerator(seed: Self.seed)
            let scratch = try ScratchDirectory("log-kills")
            let program = try BuiltFile.find("LogChild")
            let model = LogModel(seed: Self.seed)
            var reported = Array(repeating: 0, count: lanes)
            for round in 0..<max(8, KillSettings.kills / 12) {
                let plans = (0..<lanes).map { _ in
                    (
                        lines: Int.random(in: 0...60, using: &generator),
                        turns: Int.random(in: 0...200_000, using: &generator)
                    )
                }
                let found = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                    for (lane, plan) in plans.enumerated() {
                        let words =
                            [
                                "write", scratch.path, "\(Self.seed)",
                                isRelaxed ? "relaxed" : "full",
                                "0", "\(lane)",
                            ]
                            + "30 idle 40 compact 30 reopen 60".split(separator: " ").map(
                                String.init)
                        let errors = scratch.file("errors-\(lane)")
                        let before = reported[lane]
                        group.addTask {
                            try await onThread {
                                let child = try LineProcess(program, words, errors: errors)
                                var last = before
                                func take(_ line: String) {
                                    let parts = line.split(separator: " ")
                                    if parts.first == "commit", let number = Int(parts[2]) {
                                        last = number
                                    }
                                }
                                var count = 0
                                while count < plan.lines, let line = try child.nextLine() {
                                    take(line)
                                    count += 1
                                }
                                var noise = SeededGenerator(seed: 1)
                                for _ in 0..<plan.turns { _ = noise.next() }
                                child.kill()
                                while let line = try child.nextLine() { take(line) }
                                _ = child.ending()
                                return (lane, last)
                            }
                        }
                    }
                    var found: [(Int, Int)] = []
                    for try await one in group { found.append(one) }
                    return found
                }
                for (lane, last) in found { reported[lane] = last }
                let examination = LogExamination(
                    model: model, reported: reported, isRelaxed: false)
                let path = scratch.path
                let problem = try await onThread { examination.problem(in: path) }
                #expect(problem == nil, "round \(round), SETTLE_SEED=\(Self.seed)")
                // Those of the examination.
                for lane in 0..<lanes { reported[lane] += 4 }
            }
            withExtendedLifetime(scratch) {}
        }
    }
#endif
