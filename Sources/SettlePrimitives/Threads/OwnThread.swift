import Dispatch

/// Runs work that blocks on a thread of the system's pool, where it keeps no task waiting.
///
/// - Parameter body: The work.
/// - Returns: What the body returns.
/// - Throws: What the body throws. The work does not learn that the task was cancelled.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
