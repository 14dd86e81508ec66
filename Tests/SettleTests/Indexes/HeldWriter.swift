import Dispatch
import Settle

/// Keeps the writer of a database busy while a body runs.
///
/// Documents are mapped all the same, but nothing that comes of it can be stored.
func withHeldWriter<Value>(
    of database: Database, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
) async throws -> Value {
    let isHeld = Inbox<Void>()
    let mayEnd = DispatchSemaphore(value: 0)
    let write = Task {
        try await database.write { _ in
            isHeld.put(())
            mayEnd.wait()
        }
    }
    _ = await isHeld.first()
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    mayEnd.signal()
    try await write.value
    return try result.get()
}
