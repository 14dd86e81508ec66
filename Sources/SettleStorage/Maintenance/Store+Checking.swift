import SettlePrimitives

extension Store {
    /// Runs the pieces of a check on several threads, all in snapshots of one state.
    ///
    /// When others write so often that the threads find no common state, it runs on fewer.
    ///
    /// - Parameters:
    ///   - threadCount: On how many threads at most, the calling one included.
    ///   - pieces: Gives the pieces to begin with.
    /// - Throws: ``StorageError`` when the store is closed or cannot be read; what the pieces throw.
    package func check(
        threadCount: Int, _ pieces: (StoreSnapshot) throws -> [CheckPiece]
    ) throws {
        for _ in 0..<Self.meetingsMax {
            if try check(threadCount, isLastMeeting: false, pieces) { return }
        }
        _ = try check(threadCount, isLastMeeting: true, pieces)
    }

    /// A commit comes between the snapshots of two threads in one of some tries at most.
    private static let meetingsMax = 20

    /// - Returns: False when the threads were not of one state, so that nothing was done.
    private func check(
        _ threadCount: Int, isLastMeeting: Bool, _ pieces: (StoreSnapshot) throws -> [CheckPiece]
    ) throws -> Bool {
        let meeting = CheckMeeting()
        var helpers: [DedicatedThread] = []
        defer {
            meeting.end()
            for helper in helpers { helper.join() }
        }
        return try read("check") { snapshot in
            let number = snapshot.transactionNumber
            helpers = (1..<max(1, threadCount)).map { _ in
                DedicatedThread(name: "settle check") { [self] in
                    // One that cannot read leaves its work to the others.
                    try? read("check") { own in
                        guard own.transactionNumber == number else { return meeting.leave() }
                        meeting.join()?.work(in: own)
                    }
                    meeting.leave()
                }
            }
            // A thread that a growing map keeps waiting is not waited for.
            let isComplete = meeting.isComplete(
                helpers.count, withinSeconds: Self.patienceSeconds)
            guard isComplete || isLastMeeting else { return false }
            let queue = CheckQueue(try pieces(snapshot))
            meeting.begin(queue)
            queue.work(in: snapshot)
            try queue.throwFailure()
            return true
        }
    }

    private static let patienceSeconds = 0.5
}

/// Where the threads of a check wait until it is known which of them have the same state.
private final class CheckMeeting: Sendable {
    private struct State {
        var joinedCount = 0
        var leftCount = 0
        var queue: CheckQueue?
        var isOver = false
    }

    private let state = Monitor(State())

    /// Waits for the work; nil when there is none for this thread.
    func join() -> CheckQueue? {
        state.withLock { $0.joinedCount += 1 }
        let queue: CheckQueue?? = state.when { state in
            state.isOver ? .some(nil) : state.queue.map { .some($0) }
        }
        return queue ?? nil
    }

    /// A thread cannot take part, or has done its part.
    func leave() {
        state.withLock { $0.leftCount += 1 }
    }

    /// Whether all of so many threads have joined; waits until each has joined or left.
    func isComplete(_ count: Int, withinSeconds seconds: Double) -> Bool {
        state.when(withinSeconds: seconds) { state in
            state.joinedCount + state.leftCount < count ? nil : state.joinedCount == count
        } ?? false
    }

    func begin(_ queue: CheckQueue) {
        state.withLock { $0.queue = queue }
    }

    func end() {
        state.withLock { $0.isOver = true }
    }
}
