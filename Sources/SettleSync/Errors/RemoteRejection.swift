public import Foundation

/// What the remote said when it refused an operation.
public struct RemoteRejection: Sendable, Hashable, CustomStringConvertible {
    /// The most of a body that is kept, in bytes: what a server has to say, and not a whole page.
    public static let bodySizeMax = 16_384

    /// Why, in a sentence.
    public let reason: String
    /// The status of its answer; nil when the answer had none, or there was no answer.
    public let statusCode: Int?
    /// The body of its answer as it came, cut after ``bodySizeMax`` bytes; nil when there was none.
    ///
    /// It may hold what users wrote: it is not logged.
    public let body: Data?

    /// A rejection; a longer body is cut.
    public init(reason: String, statusCode: Int? = nil, body: Data? = nil) {
        self.reason = reason
        self.statusCode = statusCode
        self.body = body.flatMap { $0.isEmpty ? nil : Data($0.prefix(Self.bodySizeMax)) }
    }

    /// The reason.
    public var description: String { reason }
}
