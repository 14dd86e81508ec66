public import Foundation

/// Why an operation failed; see ``QueuedOperation/lastFailure``.
public struct OperationFault: Sendable, Hashable {
    /// What the error says, at most 300 characters.
    public let message: String
    /// When it failed.
    public let date: Date

    private static let lengthMax = 300

    /// A failure that is known by its text.
    package init(message: String, date: Date) {
        self.message = message
        self.date = date
    }

    init(_ error: any Error, at date: Date) {
        message = String("\(error)".prefix(Self.lengthMax))
        self.date = date
    }
}
