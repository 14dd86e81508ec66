#if os(Linux)
    import Foundation
    import Settle
    import StoreChild
    import TestSupport
    import Testing

    /// System calls of a child fail: the first, the second, and so on until none is left to fail.
    @Suite(.serialized) struct FaultTests {
        /// Codes that tell of the failure; others would blame the file, or the caller.
        private static let codes: Set<String> = ["inputOutput", "diskFull", "databaseClosed"]

        @Test(arguments: FaultPlan.all)
        func `a call that fails gives an error and harms nothing`(plan: FaultPlan) async throws {
            let shim = try await onThread { try FaultShim.library().path }
            var faultCount = 0
            for batchesBefore in [0, 3] {
                var first = 1
                while true {
                    let scratch = try ScratchDirectory("faults")
                    let hits = try await check(
                        plan, first: first, batchesBefore: batchesBefore, shim: shim, in: scratch)
                    if hits == 0 { break }
                    faultCount += hits
                    // One by one at the start, where opening is, then in growing steps.
                    first += first < 8 ? 1 : first / 3
                }
            }
            #expect(faultCount > 0 || !plan.isMade, "None of the calls was made.")
            #expect(faultCount == 0 || plan.isMade, "The calls were made after all.")
        }

        /// Runs a child with the faults and looks at what it left.
        ///
        /// - Returns: How many calls failed.
        private func check(
            _ plan: FaultPlan, first: Int, batchesBefore: Int, shim: String,
            in scratch: ScratchDirectory
        ) async throws -> Int {
            let seed = KillSettings.seed
            if batchesBefore > 0 {
                try await withDatabase(in: scratch) { database in
                    try await database.write { transaction in
                        for number in 1...batchesBefore {
                            let batch = BatchPlan(
                                seed: seed, lane: 0, number: number, profile: plan.profile)
                            try batch.write(in: transaction)
                        }
                    }
                }
            }
            let log = scratch.file("log")
            let run = ChildRun(
                arguments: [
                    "batches", scratch.path, "\(seed)", "full", plan.profile.rawValue, "1",
                    "\(batchesBefore + plan.batches)", "outlive",
                ], environment: plan.environment(shim: shim, first: first, log: log.path))
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            let hits = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            let place =
                "\(plan.testDescription), the \(first). call after \(batchesBefore) batches, "
                + "SETTLE_SEED=\(seed), \(hits.prefix(5)): \(outcome)"

            let isDone = outcome.ending == .exited(0) && outcome.reports.last == .done
            let hasGivenUp = outcome.ending == .exited(3)
            #expect(isDone || hasGivenUp && plan.goesOn, "\(place)")
            #expect(outcome.foreignLines.isEmpty, "\(place)")
            let codes = outcome.reports.compactMap { report in
                if case .failed(let code) = report { code } else { nil }
            }
            #expect(Self.codes.isSuperset(of: codes), "\(place)")
            let foreign = outcome.reports.filter { report in
                if case .foreign = report { true } else { false }
            }
            #expect(foreign.isEmpty, "\(place)")
            // A single failure may have met the build of the index in the background, which tells
            // nobody and is made again.
            // What the last two meet, one of each file, may be the close, which leaves it to the next open.
            let isOutlived = plan.mayBeOutlived || !plan.goesOn || hits.count <= 2
            #expect(codes.isEmpty ? hits.isEmpty || isOutlived : !hits.isEmpty, "\(place)")

            try await withDatabase(in: scratch) { database in
                let number = try database.read { try $0.lastBatch(ofLane: 0) }
                let reported = outcome.lastCommitted(lane: 0) ?? batchesBefore
                // A commit that failed may be there, whole, or not.
                #expect(number == reported || number == reported + 1, "\(place)")
                var model = StoreModel(seed: seed, profile: plan.profile, lanes: 1)
                model.advance(lane: 0, to: number)
                let faults = try await StoreVerification(database: database, model: model).faults()
                #expect(faults.isEmpty, "\(faults.prefix(5)) after \(place)")
            }
            return hits.count
        }
    }
#endif
