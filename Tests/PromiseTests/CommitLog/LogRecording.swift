#if os(Linux)
    import Foundation
    import LogChild
    import SettleLMDB
    import TestSupport

    /// What children did to the files of an environment with a commit log, recorded.
    struct LogRecording: Sendable {
        struct Broken: Error {
            let ending: ChildProcess.Ending
            let errors: String
        }

        let seed: UInt64
        let isRelaxed: Bool
        let faults: CommitLogFaults
        let lanes: Int
        let events: [TraceEvent]
        let folder: String

        /// Lets a child for each lane run, all at once, and records them.
        init(
            _ steps: [String], seed: UInt64, isRelaxed: Bool = false, faults: CommitLogFaults = [],
            environment: [String: String] = [:], mustEndWell: Bool = true
        ) async throws {
            let scratch = try ScratchDirectory("recording")
            let place = try scratch.folder("place")
            let trace = scratch.file("trace")
            let shim = try await onThread { try FaultShim.library().path }
            let variables = environment.merging([
                "LD_PRELOAD": shim, "SETTLE_TRACE": trace.path, "SETTLE_TRACE_FOLDER": place.path,
            ]) { $1 }
            let program = try BuiltFile.find("LogChild")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (lane, steps) in steps.enumerated() {
                    let words =
                        [
                            "write", place.path, "\(seed)", isRelaxed ? "relaxed" : "full",
                            "\(faults.rawValue)", "\(lane)",
                        ] + steps.split(separator: " ").map(String.init)
                    let errors = scratch.file("errors-\(lane)")
                    group.addTask {
                        try await onThread {
                            let child = try LineProcess(
                                program, words, environment: variables, errors: errors)
                            var last = ""
                            while let line = try child.nextLine() { last = line }
                            let ending = child.ending()
                            guard !mustEndWell || ending == .exited(0) else {
                                throw Broken(ending: ending, errors: last)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            self.seed = seed
            self.isRelaxed = isRelaxed
            self.faults = faults
            lanes = steps.count
            folder = place.path
            events = try Trace.events([UInt8](Data(contentsOf: trace)))
            withExtendedLifetime(scratch) {}
        }

        /// The last commit of each lane that was reported by a moment.
        func reported(before moment: Int) -> [Int] {
            var numbers = Array(repeating: 0, count: lanes)
            for case .mark(let text) in events[..<moment].map(\.action) {
                for line in text.split(separator: "\n") {
                    let words = line.split(separator: " ")
                    guard words.first == "commit", words.count == 3, let lane = Int(words[1]),
                        let number = Int(words[2])
                    else { continue }
                    numbers[lane] = number
                }
            }
            return numbers
        }
    }

    /// Opens the disks that power failures could have left, and compares each with the model.
    struct LogVerification: Sendable {
        let recording: LogRecording
        private let model: LogModel
        var flush = SimulatedDisk.Flush.asAsked
        /// Whether each disk is looked at by a process of its own: one that is damaged as no real one may be can end it.
        var isolatesDisks = false

        init(recording: LogRecording) {
            self.recording = recording
            model = LogModel(seed: recording.seed)
        }

        /// Blocks on their way may be damaged, but for the two pages that say which state is valid while no log does.
        static let damage = DiskMaker.Damage(blockSize: 4_096) { path, offset in
            path.hasSuffix("/log.mdb") || offset >= 8_192
        }

        private struct Case: Sendable {
            let moment: Int
            let manner: DiskMaker.Manner
            let seed: UInt64
        }

        /// Looks at a disk for each manner at every moment.
        func everyMoment() async throws -> (count: Int, faults: [String]) {
            try await verify(
                (0...recording.events.count).flatMap { moment in
                    DiskMaker.Manner.allCases.map {
                        Case(
                            moment: moment, manner: $0, seed: recording.seed &+ UInt64(moment) << 16
                        )
                    }
                })
        }

        /// Looks at so many disks at random moments.
        func randomMoments(_ count: Int) async throws -> (count: Int, faults: [String]) {
            var generator = SeededGenerator(seed: recording.seed)
            return try await verify(
                (0..<count).map { number in
                    Case(
                        moment: Int.random(in: 0...recording.events.count, using: &generator),
                        manner: DiskMaker.Manner.allCases.randomElement(using: &generator)
                            ?? .sectors,
                        seed: recording.seed &+ UInt64(number) << 16)
                })
        }

        private func verify(_ cases: [Case]) async throws -> (count: Int, faults: [String]) {
            var disk = SimulatedDisk(flush: flush)
            var applied = 0
            var count = 0
            var faults: [String] = []
            try await withThrowingTaskGroup(of: String?.self) { group in
                var running = 0
                for next in cases.sorted(by: { $0.moment < $1.moment }) {
                    while applied < next.moment {
                        disk.apply(recording.events[applied])
                        applied += 1
                    }
                    // At rest there is one disk, which the first manner gives.
                    if disk.isAtRest, next.manner != .nothing { continue }
                    count += 1
                    if running == 2, let fault = try await group.next() {
                        running -= 1
                        if let fault { faults.append(fault) }
                    }
                    running += 1
                    let maker = DiskMaker(disk: disk, manner: next.manner, damage: Self.damage)
                    group.addTask { try await verify(next, maker) }
                }
                while let fault = try await group.next() {
                    if let fault { faults.append(fault) }
                }
            }
            return (count, faults)
        }

        private func verify(_ next: Case, _ maker: DiskMaker) async throws -> String? {
            var generator = SeededGenerator(seed: next.seed)
            generator = SeededGenerator(seed: generator.next())
            let scratch = try ScratchDirectory("power")
            for (path, bytes) in maker.image(using: &generator) {
                // What is written through a map was not recorded, and is made anew by whoever opens first.
                guard path.hasPrefix(recording.folder + "/"), !path.hasSuffix("/lock.mdb") else {
                    continue
                }
                try Data(bytes).write(
                    to: scratch.file(String(path.dropFirst(recording.folder.count + 1))))
            }
            let examination = LogExamination(
                model: model, reported: recording.reported(before: next.moment),
                isRelaxed: recording.isRelaxed, faults: recording.faults)
            let path = scratch.path
            let problem = try await onThread { () -> String? in
                isolatesDisks
                    ? try isolated(examination, scratch) : examination.problem(in: path)
            }
            withExtendedLifetime(scratch) {}
            return problem.map {
                "seed \(recording.seed), moment \(next.moment) of \(recording.events.count), "
                    + "\(next.manner), \(next.seed): \($0)"
            }
        }

        private func isolated(
            _ examination: LogExamination, _ scratch: ScratchDirectory
        ) throws -> String? {
            let child = try LineProcess(
                BuiltFile.find("LogChild"),
                [
                    "examine", scratch.path, "\(examination.model.seed)",
                    examination.isRelaxed ? "relaxed" : "full", "\(examination.faults.rawValue)",
                ] + examination.reported.map(String.init),
                // What Swift says of a process that crashes takes seconds.
                environment: ["SWIFT_BACKTRACE": "enable=no"], errors: scratch.file("errors"))
            var last = ""
            while let line = try child.nextLine() { last = line }
            let ending = child.ending()
            return ending == .exited(0) ? nil : "\(ending) \(last)"
        }
    }
#endif
