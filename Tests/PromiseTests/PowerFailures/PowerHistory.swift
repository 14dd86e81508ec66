#if os(Linux)
    import Foundation
    import StoreChild
    import TestSupport

    /// What children did to a database, recorded.
    struct PowerHistory: Sendable {
        /// What a child does.
        struct Part: Sendable {
            let lane: Int
            let steps: String
        }

        /// The children did not come to their end.
        struct Broken: Error {
            let outcomes: [ChildRun.Outcome]
        }

        let seed: UInt64
        let isRelaxed: Bool
        let isLogged: Bool
        let lanes: Int
        /// What was on the disk before.
        let before: [String: [UInt8]]
        let events: [TraceEvent]
        /// The folder that the paths of the events begin with.
        let folder: String

        /// Lets children run, all at once, and records them.
        ///
        /// - Parameters:
        ///   - parts: What each child does.
        ///   - seed: What is written.
        ///   - isRelaxed: The level at which they commit.
        ///   - isLogged: Whether they commit through the log.
        ///   - environment: Variables of theirs, for faults.
        ///   - mustEndWell: Whether each must come to its end.
        ///   - prepare: Puts a database into the folder before.
        /// - Throws: ``Broken``; what the system throws.
        init(
            _ parts: [Part], seed: UInt64, isRelaxed: Bool = false, isLogged: Bool = true,
            environment: [String: String] = [:],
            mustEndWell: Bool = true, preparing prepare: (URL) async throws -> Void = { _ in }
        ) async throws {
            let scratch = try ScratchDirectory("history")
            let place = try scratch.folder("place")
            try await prepare(place)
            let before = try Self.files(in: place)
            let trace = scratch.file("trace")
            let shim = try await onThread { try FaultShim.library().path }
            var variables = environment.merging([
                "LD_PRELOAD": shim, "SETTLE_TRACE": trace.path, "SETTLE_TRACE_FOLDER": place.path,
            ]) { $1 }
            if !isLogged { variables[ChildDatabase.commitLogVariable] = "none" }
            let outcomes = try await withThrowingTaskGroup(of: ChildRun.Outcome.self) { group in
                for part in parts {
                    let run = ChildRun(
                        arguments: [
                            "history", place.path, "\(seed)", isRelaxed ? "relaxed" : "full",
                            "\(part.lane)",
                        ] + part.steps.split(separator: " ").map(String.init),
                        environment: variables)
                    let errors = scratch.file("errors-\(part.lane)")
                    group.addTask { try await onThread { try run.run(errors: errors) } }
                }
                var outcomes: [ChildRun.Outcome] = []
                for try await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            if mustEndWell {
                guard outcomes.allSatisfy({ $0.ending == .exited(0) }) else {
                    throw Broken(outcomes: outcomes)
                }
            }
            self.seed = seed
            self.isRelaxed = isRelaxed
            self.isLogged = isLogged
            self.before = before
            lanes = (parts.map(\.lane).max() ?? 0) + 1
            folder = place.path
            events = try Trace.events([UInt8](Data(contentsOf: trace)))
            withExtendedLifetime(scratch) {}
        }

        /// The files of a folder, by their paths.
        private static func files(in folder: URL) throws -> [String: [UInt8]] {
            var files: [String: [UInt8]] = [:]
            let names = FileManager.default.enumerator(atPath: folder.path)
            while let name = names?.nextObject() as? String {
                let url = folder.appendingPathComponent(name)
                guard let data = try? Data(contentsOf: url) else { continue }
                files[url.path] = [UInt8](data)
            }
            return files
        }

        /// The last batch of each lane that was reported by a moment.
        func reported(before moment: Int) -> [Int] {
            var numbers = Array(repeating: 0, count: lanes)
            for case .mark(let text) in events[..<moment].map(\.action) {
                for line in text.split(separator: "\n") {
                    if case .committed(let lane, let number) = Report(line: String(line)) {
                        numbers[lane] = number
                    }
                }
            }
            return numbers
        }
    }
#endif
