import Foundation
import Synchronization

/// How much memory a process took at most, in bytes.
struct MemoryPeak: Codable, Sendable {
    /// Memory of its own, heap and stacks: the figure.
    ///
    /// Pages of a mapped file are left out. They are the system's cache, which it takes back
    /// whenever another needs it, and grow with the file in every engine that maps it.
    let anonymous: Int
    /// All that was resident (`VmHWM`), pages of mapped files included.
    let resident: Int
}

/// Looks every few milliseconds how much memory this process has of its own.
final class MemoryWatch: Sendable {
    private let peak = Mutex(0)
    private let isOver = Mutex(false)

    private init() {}

    /// Does some work and tells what memory the process took at most until it was done.
    static func peak(during work: () async throws -> Void) async throws -> MemoryPeak {
        let watch = MemoryWatch()
        let thread = Thread { watch.look() }
        thread.start()
        defer { watch.isOver.withLock { $0 = true } }
        try await work()
        watch.sample()
        guard let resident = status("VmHWM") else {
            throw BenchmarkError("This system has no /proc/self/status to read memory from.")
        }
        return MemoryPeak(anonymous: watch.peak.withLock { $0 }, resident: resident)
    }

    private func look() {
        while !isOver.withLock({ $0 }) {
            sample()
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    private func sample() {
        let now = Self.status("RssAnon") ?? 0
        peak.withLock { $0 = max($0, now) }
    }

    /// What the process has of its own at this moment.
    ///
    /// - Throws: ``BenchmarkError`` where the system does not tell.
    static func anonymousByteCount() throws(BenchmarkError) -> Int {
        guard let count = status("RssAnon") else {
            throw BenchmarkError("This system has no /proc/self/status to read memory from.")
        }
        return count
    }

    /// A line of a process's status, in bytes; nil where there is none.
    ///
    /// - Parameters:
    ///   - name: The name of the line.
    ///   - process: The process; nil for this one.
    /// - Returns: The bytes.
    static func status(_ name: String, of process: Int32? = nil) -> Int? {
        let path = "/proc/\(process.map { "\($0)" } ?? "self")/status"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        return kilobytes.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
