public import Foundation

/// Why an inspector does not come to listening.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let message: String
    /// What the system said.
    public let cause: any Error

    init(port: Int, cause: any Error) {
        message = "127.0.0.1:\(port) cannot be listened on: \(cause). Choose another port."
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}

extension InspectorError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
