import Foundation
import Settle

/// The file of a database that is watched.
///
/// A file that was removed stays open for those who had it open, but nobody writes to it any
/// more: a watch would wait for ever and say nothing.
struct WatchedFile: Sendable {
    /// What tells a file from another that has its name later.
    private struct Identity: Equatable {
        let volume: Int?
        let number: Int?
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case value(Value)
        case interrupted
    }

    private let name: String
    private let path: String
    private let identity: Identity?

    /// How often the file is looked at.
    private static let interval = Duration.seconds(1)

    /// The file of a database that has just been opened.
    init(_ database: DatabasePath) {
        name = database.name
        let folder = database.name.replacing("/", with: ":") + ".settle"
        path = database.location.appendingPathComponent("\(folder)/data.mdb").path
        identity = Self.identity(path)
    }

    /// Watches as long as the file is there.
    ///
    /// - Parameter body: What watches; it ends when it is cancelled.
    /// - Returns: What `body` returns, also after an interruption.
    /// - Throws: ``CommandFailure``, within two seconds, when the file was removed or another took
    ///   its place; what `body` throws.
    func whileThere<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Outcome<Value>.self) { group in
            group.addTask { .value(try await body()) }
            group.addTask {
                while (try? await Task.sleep(for: Self.interval)) != nil { try check() }
                return .interrupted
            }
            while let outcome = try await group.next() {
                guard case .value(let value) = outcome else { continue }
                group.cancelAll()
                return value
            }
            throw CancellationError()
        }
    }

    /// Whether the file is still the one that was opened.
    var isThere: Bool { Self.identity(path) == identity }

    private func check() throws {
        guard !isThere else { return }
        throw CommandFailure(
            "The database '\(name)' was removed or replaced while it was watched; what was shown "
                + "so far is of the old one. Watch it again.")
    }

    /// What the file is; nil when there is none, or when the file system does not tell.
    private static func identity(_ path: String) -> Identity? {
        guard let found = try? FileManager.default.attributesOfItem(atPath: path) else {
            return nil
        }
        return Identity(
            volume: (found[.systemNumber] as? NSNumber)?.intValue,
            number: (found[.systemFileNumber] as? NSNumber)?.intValue)
    }
}
