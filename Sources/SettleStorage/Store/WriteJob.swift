import SettlePrimitives
import Synchronization

/// One caller's closure on its way through the writer.
///
/// The closure may run several times (the map grew, a neighbour failed); only the last outcome
/// reaches the caller, once.
final class WriteJob: Sendable {
    /// Runs the closure and keeps what it returned.
    ///
    /// Throws what the closure threw.
    let run: @Sendable (StoreTransaction) throws -> Void
    /// Hands the caller what the last run returned.
    let succeed: @Sendable () -> Void
    /// Hands the caller an error in its place.
    let fail: @Sendable (any Error) -> Void

    init<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let outcome = Outcome<Value>()
        run = { transaction in
            let value = try body(transaction)
            outcome.value.withLock { $0 = value }
        }
        succeed = {
            guard let value = outcome.value.withLock({ $0 }) else {
                preconditionFailure("A job was completed before its closure ran.")
            }
            completion(.success(value))
        }
        fail = { completion(.failure($0)) }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Lock<Value?>(nil)
    }
}
