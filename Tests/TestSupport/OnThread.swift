import Foundation

/// Runs what blocks on a thread of its own, so that it takes none from the other tests.
///
/// Swift's tasks have as many threads as there are cores: two tests that block theirs could wait for
/// a server in this process that finds none.
///
/// - Parameter body: What blocks.
/// - Returns: What it returns.
/// - Throws: What it throws.
package func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
