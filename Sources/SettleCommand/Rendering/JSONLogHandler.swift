import Foundation
import Logging
import Settle

/// Writes each line of the log as a JSON object on standard error.
///
/// Shape: `time` (UTC, ISO 8601), `level`, `message`, and the metadata as members beside them, all
/// strings but the numbers of a request.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        StandardError.line(
            Self.line(
                level: event.level, message: event.message,
                metadata: metadata.merging(event.metadata ?? [:]) { $1 }, at: Date()))
    }

    /// Of a request; other values may look like numbers and are none.
    private static let numbers: Set<String> = ["milliseconds", "received", "sent", "status"]

    /// The object for one line.
    static func line(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata, at time: Date
    ) -> String {
        var members: [String: JSONValue] = [:]
        for (name, value) in metadata {
            let text = "\(value)"
            let number = numbers.contains(name) ? Double(text) : nil
            members[name] =
                Int64(exactly: number ?? .nan).map { .integer($0) }
                ?? number.map { .double($0) } ?? .string(text)
        }
        members["time"] = .string(
            time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        members["level"] = .string(level.rawValue)
        members["message"] = .string("\(message)")
        return JSONRendering.compact(.object(members))
    }
}
