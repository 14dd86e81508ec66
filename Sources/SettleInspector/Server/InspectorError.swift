public import Foundation
import NIOCore

/// Why an inspector does not come to listening.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let message: String
    /// What the system said.
    public let cause: any Error

    init(port: Int, cause: any Error) {
        let reason =
            switch (cause as? IOError)?.errnoCode {
            case EADDRINUSE?: "another program listens there; choose another port"
            case EACCES?, EPERM?: "this user may not; choose a port from 1024 on"
            default: "\(cause)"
            }
        message = "The inspector cannot listen on 127.0.0.1:\(port): \(reason)."
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}

extension InspectorError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
