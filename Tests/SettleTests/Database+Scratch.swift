import Dispatch
import Foundation
import Settle
import TestSupport

/// A database in a directory of its own, closed and removed at the end.
func withDatabase<Value>(
    indexes: [any Indexer] = [], now: @escaping @Sendable () -> Date = { Date() },
    isolation: isolated (any Actor)? = #isolation, _ body: (Database) async throws -> Value
) async throws -> Value {
    try await withDatabase(in: ScratchDirectory("database"), indexes: indexes, now: now, body)
}

/// Opens the database in a directory, and closes it at the end.
func withDatabase<Value>(
    in directory: ScratchDirectory, indexes: [any Indexer] = [],
    now: @escaping @Sendable () -> Date = { Date() },
    isolation: isolated (any Actor)? = #isolation, _ body: (Database) async throws -> Value
) async throws -> Value {
    let database = try await openDatabase(in: directory, indexes: indexes, now: now)
    do {
        let value = try await body(database)
        await database.close()
        return value
    } catch {
        await database.close()
        throw error
    }
}

/// Opens the database in a directory, which the caller closes.
func openDatabase(
    in directory: ScratchDirectory, indexes: [any Indexer] = [],
    now: @escaping @Sendable () -> Date = { Date() }
) async throws -> Database {
    let configuration = Database.OpenDatabaseConfiguration(
        name: "test", fileLocation: directory.url, indexes: indexes,
        completionQueue: DispatchQueue(label: "test"), now: now)
    guard let database = try await Database.open(with: configuration, create: true) else {
        throw CancellationError()
    }
    return database
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
