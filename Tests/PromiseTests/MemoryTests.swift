#if os(Linux)
    import StoreChild
    import TestSupport
    import Testing

    /// What an attachment costs in memory, under a limit that the system keeps.
    struct MemoryTests {
        @Test func `an attachment of 200 MB goes in and out in 32 MB of memory`() async throws {
            let scratch = try ScratchDirectory("memory")
            let run = ChildRun(
                arguments: ["stream", scratch.path, "\(200_000_000)", "\(32 << 20)"])
            let errors = scratch.file("errors")
            let outcome = try await onThread { try run.run(errors: errors) }
            #expect(outcome.reports == [.opened, .limited, .done], "\(outcome)")
            #expect(outcome.ending == .exited(0), "\(outcome)")
        }
    }
#endif
