import Dispatch
import Foundation

/// Where `settle import` and `settle put` read from: a file, or standard input.
struct ImportSource: Sendable {
    /// How the source is called in messages.
    let name: String
    /// How many bytes there are; nil when that is not known before the end.
    let size: Int?
    private let handle: FileHandle
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
            handle = .standardInput
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
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure("The file '\(path)' may not be read. Look at its permissions.")
        }
        name = path
        size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        self.handle = handle
    }

    /// The next bytes; nil at the end.
    ///
    /// Waiting for a slow pipe ends when the task is cancelled, though the read goes on in its
    /// thread; the source is of no use afterwards.
    ///
    /// - Throws: ``CommandFailure`` when the source cannot be read on; `CancellationError`.
    func next() async throws -> [UInt8]? {
        let answer = FirstResult<[UInt8]?>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(with: continuation)
                queue.async { answer.give(Result { try read() }) }
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

    private func read() throws -> [UInt8]? {
        do {
            guard let data = try handle.read(upToCount: Self.chunkSize), !data.isEmpty else {
                return nil
            }
            return [UInt8](data)
        } catch {
            throw CommandFailure("Reading \(name) failed: \(error.localizedDescription)")
        }
    }
}
