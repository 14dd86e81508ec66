import Dispatch
import Foundation
import SettlePrimitives
import Synchronization

/// Where `settle import` and `settle put` read from: a file, or standard input.
struct ImportSource: Sendable {
    /// How the source is called in messages.
    let name: String
    /// How many bytes there are; nil when that is not known before the end.
    let size: Int?
    private let reading: Reading
    private let queue = DispatchQueue(label: "settle.import")

    // A read waits until so much is there or the source ends: little enough for a slow pipe.
    private static let chunkSize = 1 << 16

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be opened.
    init(path: String) throws {
        if path == "-" {
            name = "standard input"
            size = nil
            reading = Reading(name: name, handle: .standardInput)
            return
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "There is no file '\(path)'. Give the path of a file, or - for standard input.")
        }
        let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard values?.isDirectory != true else {
            throw CommandFailure("'\(path)' is a folder; give the path of a file.")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Self.unreadable(path)
        }
        name = path
        size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        reading = Reading(name: path, handle: nil)
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure("The file '\(path)' may not be read. Look at its permissions.")
    }

    /// The next bytes; nil at the end.
    ///
    /// Waiting for a slow pipe, or for somebody who opens its other end, ends when the task is cancelled, though the
    /// read goes on in its thread; the source is of no use afterwards.
    ///
    /// - Throws: ``CommandFailure`` when the source cannot be read on; `CancellationError`.
    func next() async throws -> [UInt8]? {
        let answer = FirstResult<[UInt8]?>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(with: continuation)
                queue.async { answer.give(Result { try reading.next() }) }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }

    /// All bytes up to the end, for a source that is held in memory.
    ///
    /// - Returns: The bytes.
    /// - Throws: As ``next()``.
    func all() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await next() { bytes += more }
        return bytes
    }

    /// The file while it is read, on the source's queue.
    private final class Reading: Sendable {
        private struct State {
            var handle: FileHandle?
            /// Whether the end was met; a terminal would want it once more at the next read.
            var isAtEnd = false
        }

        private let name: String
        private let state: Lock<State>

        init(name: String, handle: FileHandle?) {
            self.name = name
            state = Lock(State(handle: handle))
        }

        /// The next bytes; nil at the end.
        ///
        /// A pipe is opened here, which waits for its other end.
        func next() throws -> [UInt8]? {
            try state.withLock { state in
                if state.isAtEnd { return nil }
                if state.handle == nil { state.handle = FileHandle(forReadingAtPath: name) }
                guard let handle = state.handle else { throw ImportSource.unreadable(name) }
                do {
                    let data = try handle.read(upToCount: ImportSource.chunkSize) ?? Data()
                    // It reads on until there is so much, or the end.
                    state.isAtEnd = data.count < ImportSource.chunkSize
                    return data.isEmpty ? nil : [UInt8](data)
                } catch {
                    throw CommandFailure("Reading \(name) failed: \(error.localizedDescription)")
                }
            }
        }
    }
}
