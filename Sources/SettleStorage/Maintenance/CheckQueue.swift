import SettlePrimitives

/// A part of a check, which may run on any thread, in a snapshot of the state that is checked.
package struct CheckPiece: Sendable {
    let run: @Sendable (StoreSnapshot, CheckQueue) throws -> Void

    /// A piece of work.
    ///
    /// - Parameter run: Gets a snapshot, for its thread alone, and the queue, to which it may add pieces.
    package init(_ run: @escaping @Sendable (StoreSnapshot, CheckQueue) throws -> Void) {
        self.run = run
    }
}

/// The pieces of a check that are still to run.
package final class CheckQueue: Sendable {
    private struct State {
        var pieces: [CheckPiece]
        var runningCount = 0
        var failure: (any Error)?
    }

    private let state: Monitor<State>

    init(_ pieces: [CheckPiece]) {
        state = Monitor(State(pieces: pieces))
    }

    /// Adds a piece, which begins when a thread is free.
    package func add(_ piece: CheckPiece) {
        state.withLock { $0.pieces.append(piece) }
    }

    /// Runs pieces until none is left and none is running, or one has failed.
    func work(in snapshot: StoreSnapshot) {
        while let piece = next() {
            let result = Result { try piece.run(snapshot, self) }
            state.withLock { state in
                state.runningCount -= 1
                if case .failure(let error) = result, state.failure == nil { state.failure = error }
            }
        }
    }

    private func next() -> CheckPiece? {
        let taken: CheckPiece?? = state.when { state in
            if state.failure != nil { return .some(nil) }
            // Those that run may add others.
            if state.pieces.isEmpty { return state.runningCount == 0 ? .some(nil) : nil }
            state.runningCount += 1
            // In order: what cannot be divided begins early, and what is walked in stretches fills the end.
            return .some(state.pieces.removeFirst())
        }
        return taken ?? nil
    }

    /// - Throws: What ended the check before its end.
    func throwFailure() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
