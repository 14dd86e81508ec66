import Foundation

/// Finds out whether a directory takes what is written to it.
///
/// A file is written there and removed again, which a full disk, a quota, a disk that has become
/// read-only and a broken one refuse alike. So that nobody keeps the disk busy by asking, an answer
/// counts for a second.
struct RoomCheck {
    /// How much must fit: the longest body that most servers take.
    private static let bytes = 1 << 20
    private static let fileName = "room.check"
    private static let period = Duration.seconds(1)

    private let file: URL
    private let elapsed: @Sendable () -> Duration
    private var last: (time: Duration, result: Result<Void, ServerError>)?

    init(_ directory: URL, elapsed: @escaping @Sendable () -> Duration = Uptime.elapsed) {
        file = directory.appendingPathComponent(Self.fileName)
        self.elapsed = elapsed
    }

    /// Returns when there is room.
    ///
    /// - Throws: ``ServerError`` with `directoryUnusable` when there is none.
    mutating func run() throws(ServerError) {
        let now = elapsed()
        if let last, now - last.time < Self.period { return try last.result.get() }
        let result = Result { () throws(ServerError) in try write() }
        last = (now, result)
        try result.get()
    }

    private func write() throws(ServerError) {
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            try Data(repeating: 0x20, count: Self.bytes).write(to: file)
        } catch {
            throw ServerError(
                .directoryUnusable,
                "The directory '\(file.deletingLastPathComponent().path)' takes no more; make room "
                    + "on its disk, or see whether this user may write there.", cause: error)
        }
    }
}
