extension Interruption {
    /// Waits for work that takes no notice of a cancelled task.
    ///
    /// After an interruption the work is left to itself; it ends when the database that it works
    /// in is closed.
    ///
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws; `CancellationError` at once when the task is cancelled.
    static func waiting<Value: Sendable>(
        for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let answer = FirstResult<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(with: continuation)
                Task {
                    do {
                        answer.give(.success(try await work()))
                    } catch {
                        answer.give(.failure(error))
                    }
                }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }
}
