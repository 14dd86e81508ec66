#if os(Linux)
    import Foundation
    import Settle
    import StoreChild
    import TestSupport

    /// Opens the disks that power failures could have left, and compares each with the model.
    struct PowerVerification: Sendable {
        let history: PowerHistory
        var flush = SimulatedDisk.Flush.asAsked
        var damage: DiskMaker.Damage? = PowerVerification.damage
        /// Whether each disk is looked at by a process of its own first: reading one that is damaged as no
        /// real one may be can end the process.
        var isolatesDisks = false
        /// Whether there are documents that the model knows nothing of.
        var isBesideOthers = false

        /// Pages on their way may be damaged, but for the two that say which state is valid: LMDB has no
        /// checksum of these, and a drive that spoils a sector which it writes is beyond what it can stand.
        static let damage = DiskMaker.Damage(blockSize: 4_096) { _, offset in offset >= 8_192 }

        /// A disk that is not as it must be.
        struct Fault: Sendable, CustomStringConvertible {
            let description: String
        }

        /// A moment, and what becomes then of what was not flushed.
        private struct Case: Sendable {
            let moment: Int
            let manner: DiskMaker.Manner
            let seed: UInt64
        }

        /// Looks at a disk for each manner at every moment.
        func everyMoment(seed: UInt64) async throws -> (count: Int, faults: [Fault]) {
            let cases = (0...history.events.count).flatMap { moment in
                DiskMaker.Manner.allCases.map { manner in
                    Case(moment: moment, manner: manner, seed: seed &+ UInt64(moment) << 16)
                }
            }
            return try await verify(cases)
        }

        /// Looks at so many disks at random moments.
        func randomMoments(
            _ count: Int, seed: UInt64
        ) async throws -> (count: Int, faults: [Fault]) {
            var generator = SeededGenerator(seed: seed)
            let cases = (0..<count).map { number in
                Case(
                    moment: Int.random(in: 0...history.events.count, using: &generator),
                    manner: DiskMaker.Manner.allCases.randomElement(using: &generator) ?? .sectors,
                    seed: seed &+ UInt64(number) << 16)
            }
            return try await verify(cases)
        }

        private func verify(_ cases: [Case]) async throws -> (count: Int, faults: [Fault]) {
            var disk = SimulatedDisk(files: history.before, flush: flush)
            var applied = 0
            var count = 0
            var faults: [Fault] = []
            try await withThrowingTaskGroup(of: Fault?.self) { group in
                var running = 0
                func take(_ fault: Fault?) {
                    running -= 1
                    if let fault { faults.append(fault) }
                }
                for next in cases.sorted(by: { $0.moment < $1.moment }) {
                    while applied < next.moment {
                        disk.apply(history.events[applied])
                        applied += 1
                    }
                    // At rest there is one disk, which the first manner gives.
                    if disk.isAtRest, next.manner != .nothing { continue }
                    count += 1
                    if running == 2, let fault = try await group.next() { take(fault) }
                    running += 1
                    let maker = DiskMaker(disk: disk, manner: next.manner, damage: damage)
                    group.addTask { try await verify(next, maker) }
                }
                while let fault = try await group.next() { take(fault) }
            }
            return (count, faults)
        }

        private func verify(_ next: Case, _ maker: DiskMaker) async throws -> Fault? {
            var generator = SeededGenerator(seed: next.seed)
            // Neighbouring seeds must be torn apart.
            generator = SeededGenerator(seed: generator.next())
            let scratch = try ScratchDirectory("power")
            for (path, bytes) in maker.image(using: &generator) {
                // What is written through a map was not recorded, and is made anew by whoever opens first.
                guard path.hasPrefix(history.folder + "/"), !path.hasSuffix("/lock.mdb"),
                    !path.hasSuffix(".marks")
                else { continue }
                let file = scratch.file(String(path.dropFirst(history.folder.count + 1)))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            }
            let problem = await problem(in: scratch, next.moment)
            withExtendedLifetime(scratch) {}
            return problem.map { problem in
                Fault(
                    description: "seed \(history.seed), moment \(next.moment) of "
                        + "\(history.events.count), \(next.manner), \(next.seed): \(problem)")
            }
        }

        private func problem(in scratch: ScratchDirectory, _ moment: Int) async -> String? {
            do {
                if isolatesDisks {
                    // What Swift says of a process that crashes takes seconds.
                    let run = ChildRun(
                        arguments: ["examine", scratch.path],
                        environment: ["SWIFT_BACKTRACE": "enable=no"])
                    let errors = scratch.file("errors")
                    let outcome = try await onThread { try run.run(errors: errors) }
                    if outcome.ending != .exited(0) { return "\(outcome.ending)" }
                }
                let configuration = ChildDatabase.configuration(in: scratch.url)
                guard let database = try await Database.open(with: configuration, create: true)
                else { return "There is no database." }
                let problem: String?
                do {
                    problem = try await self.problem(of: database, moment)
                } catch {
                    problem = "\(error)"
                }
                await database.close()
                return problem
            } catch {
                return "\(error)"
            }
        }

        private func problem(of database: Database, _ moment: Int) async throws -> String? {
            let reported = history.reported(before: moment)
            var model = StoreModel(seed: history.seed, profile: .mixed, lanes: history.lanes)
            for lane in 0..<history.lanes {
                let number = try database.read { try $0.lastBatch(ofLane: lane) }
                // What was not reported may be there, whole; at the relaxed level the last commit may not, or
                // with the log any of the last second.
                let lost = history.isLogged ? reported[lane] : 1
                let least = reported[lane] - (history.isRelaxed ? lost : 0)
                guard (least...reported[lane] + 1).contains(number) else {
                    return "Lane \(lane) is at \(number), and \(reported[lane]) was reported."
                }
                model.advance(lane: lane, to: number)
            }
            let verification = StoreVerification(database: database, model: model)
            let faults =
                try await isBesideOthers ? verification.ownFaults() : verification.faults()
            return faults.isEmpty ? nil : faults.prefix(3).joined(separator: " ")
        }
    }
#endif
