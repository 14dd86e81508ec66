#if os(Linux)
    import Foundation
    import Settle
    import SettleOutbox
    import Synchronization

    /// Lets every write to a file fail for a while, as a disk does that is full.
    struct BrokenDisk: Sendable {
        private let usual: rlimit

        init() {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
                preconditionFailure("The limit of files cannot be read.")
            }
            usual = limit
            // Else the process would end.
            signal(SIGXFSZ, SIG_IGN)
        }

        func begin() { set(0) }

        func end() { set(usual.rlim_cur) }

        private func set(_ length: rlim_t) {
            var limit = usual
            limit.rlim_cur = length
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
                preconditionFailure("The limit of files cannot be set.")
            }
        }
    }

    /// Carries operations out while the disk takes nothing, and sees them through when it does again.
    struct ErrandsOnBrokenDisk {
        let database: Database

        /// - Returns: How often each of the two operations was started, and completed.
        func run() async throws -> [Int] {
            let starts = Mutex([0, 0])
            let (gate, open) = AsyncStream<Void>.makeStream()
            let retries = RetryPolicy(first: 0.01, longest: 0.05)
            let carryOut: @Sendable (QueuedOperation) async throws -> OperationOutcome = {
                operation in
                let number = try operation.operation(as: Errand.self)?.number ?? 0
                starts.withLock { $0[number] += 1 }
                if number == 0 { for await _ in gate { break } }
                return .completed { transaction in
                    let id = Errands.doneId(number)
                    let count = try transaction.document(id)?.integer("count") ?? 0
                    try transaction.save(["id": id, "count": count + 1])
                }
            }
            let outbox = try await database.openOutbox(
                OutboxConfiguration(
                    operations: [Errand.self],
                    pipelines: [
                        PipelineConfiguration(retries: retries, start: carryOut),
                        PipelineConfiguration("second", retries: retries, start: carryOut),
                    ]))
            let second = outbox.pipeline(named: "second")
            second?.suspend()
            var failures = outbox.failures.makeAsyncIterator()
            let disk = BrokenDisk()
            try await outbox.write { queue in
                try queue.add(Errand(number: 0))
                try queue.add(Errand(number: 1), pipeline: "second")
            }
            while starts.withLock({ $0[0] }) == 0 { await Task.yield() }
            // While nothing else is being committed: of a commit that was half there the engine stops.
            try await database.write { _ in disk.begin() }
            // It cannot be started now.
            second?.resume()
            for _ in 0..<3 {
                do {
                    try await database.save(["id": "nothing"])
                    preconditionFailure("The disk takes something.")
                } catch is DatabaseError {}
            }
            // Its outcome cannot be stored, nor that it is to be tried again.
            open.yield()
            let failure = await failures.next()
            precondition(failure?.retryDate == nil, "The disk takes something.")
            disk.end()
            var changes = outbox.queueChanges.makeAsyncIterator()
            while try outbox.read({ try !$0.operations().isEmpty }) { _ = await changes.next() }
            let done = try database.read { snapshot in
                try [0, 1].map { try snapshot.document(Errands.doneId($0))?.integer("count") ?? 0 }
            }
            await outbox.close()
            return starts.withLock { $0 } + done
        }
    }
#endif
