import Foundation
import Settle
import StoreChild
import TestSupport
import Testing

#if os(Linux)
    @Suite(.serialized) struct `An outbox whose disk takes nothing for a while` {
        @Test func `starts what waits, and keeps an outcome, until it can be stored`() async throws
        {
            let scratch = try ScratchDirectory("broken")
            let run = ChildRun(arguments: ["broken", scratch.path])
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            #expect(outcome.ending == .exited(0), "\(outcome)")
            // Both were started once and completed once.
            let expected = (0..<4).map { Report.committed(lane: $0, number: 1) } + [.done]
            #expect(outcome.reports == expected, "\(outcome)")
        }
    }
#endif
