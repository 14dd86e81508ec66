#if os(Linux)
    import Foundation
    import StoreChild
    import TestSupport
    import Testing

    /// A flush or a write fails, then the power does.
    @Suite(.serialized) struct `When a flush has failed and then the power fails` {
        /// What fails, and how.
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

        /// Every call in turn, and after it the disks of the moments that follow.
        @Test(arguments: Failure.all)
        func `nothing that was not flushed was reported`(failure: Failure) async throws {
            let seed = KillSettings.seed
            var failed = 0
            // Half of the two pages that a file begins with may be what is left of a longer one, and is refused.
            var number = failure.manner == "short" ? 2 : 1
            while true {
                let scratch = try ScratchDirectory("failed-flush")
                let log = scratch.file("log")
                let history = try await PowerHistory(
                    [.init(lane: 0, steps: "batch batch batch batch")], seed: seed, isLogged: false,
                    environment: [
                        "SETTLE_FAULT_CALLS": failure.calls, "SETTLE_FAULT_FIRST": "\(number)",
                        "SETTLE_FAULT_ERROR": failure.error, "SETTLE_FAULT_MANNER": failure.manner,
                        "SETTLE_FAULT_LOG": log.path,
                    ], mustEndWell: false)
                if try String(contentsOf: log, encoding: .utf8).isEmpty { break }
                failed += 1
                let verification = PowerVerification(history: history)
                let found = try await verification.randomMoments(6, seed: seed &+ UInt64(number))
                #expect(
                    found.faults.isEmpty,
                    "\(failure.testDescription), call \(number): \(found.faults)")
                number += number < 12 ? 1 : number / 4
                withExtendedLifetime(scratch) {}
            }
            #expect(failed > 5)
        }
    }
#endif
