import Dispatch
import Foundation
import Settle
import TestSupport

/// A database in a directory of its own, closed and removed at the end.
func withDatabase<Value>(
    indexes: [any Indexer] = [], now: @escaping @Sendable () -> Date = { Date() },
    _ body: (Database) async throws -> Value
) async throws -> Value {
    let directory = try ScratchDirectory("database")
    let configuration = Database.OpenDatabaseConfiguration(
        name: "test", fileLocation: directory.url, indexes: indexes,
        completionQueue: DispatchQueue(label: "test"), now: now)
    guard let database = try await Database.open(with: configuration, create: true) else {
        throw CancellationError()
    }
    do {
        let value = try await body(database)
        await database.close()
        return value
    } catch {
        await database.close()
        throw error
    }
}

/// Hands what handlers receive over to the test, in order.
final class Inbox<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func put(_ element: Element) { continuation.yield(element) }

    /// Waits for the first element that fits.
    func first(where fits: (Element) -> Bool = { _ in true }) async -> Element? {
        for await element in stream where fits(element) { return element }
        return nil
    }
}
