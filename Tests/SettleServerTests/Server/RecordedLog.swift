import Logging
import Synchronization

/// Keeps what a server logs, and lets a test wait for a line.
final class RecordedLog: LogHandler {
    /// One line of the log.
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private let kept = Mutex<[Line]>([])
    /// Every line as it comes.
    let lines: AsyncStream<Line>
    private let continuation: AsyncStream<Line>.Continuation

    init() {
        (lines, continuation) = AsyncStream.makeStream()
    }

    /// A logger that writes here.
    var logger: Logger { Logger(label: "test") { _ in self } }

    /// The lines at level warning and above.
    var faults: [Line] { kept.withLock { $0.filter { $0.level >= .warning } } }

    /// The status of the next request that was answered.
    func nextStatus() async -> String? {
        for await line in lines where line.message == "request" {
            return line.metadata["status"]?.description
        }
        return nil
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .info }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let line = Line(
            level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
        kept.withLock { $0.append(line) }
        continuation.yield(line)
    }
}
