import Foundation
import SettlePrimitives
import Synchronization

/// What a command prints on standard output, in large pieces.
///
/// The lock guards the buffer; a piece is written while it is held, so lines of different tasks
/// never mix.
final class Output: Sendable {
    private let buffer = Lock(Data())
    private let handle: FileHandle
    private let isLineBuffered: Bool
    private let name: String

    /// An output.
    ///
    /// - Parameters:
    ///   - handle: Where to write.
    ///   - name: What is written, as a message calls it.
    ///   - isLineBuffered: Whether each line is to be seen at once.
    init(
        _ handle: FileHandle = .standardOutput, named name: String = "The output",
        isLineBuffered: Bool = false
    ) {
        self.handle = handle
        self.name = name
        self.isLineBuffered = isLineBuffered
    }

    /// Prints a line.
    ///
    /// - Throws: ``OutputClosed`` when the reader has gone, ``CommandFailure`` when writing fails.
    func line(_ text: String = "") throws {
        try line(Data(text.utf8))
    }

    /// Prints bytes and a line end.
    ///
    /// - Throws: ``OutputClosed`` when the reader has gone, ``CommandFailure`` when writing fails.
    func line(_ bytes: Data) throws {
        try buffer.withLock { buffer in
            buffer.append(bytes)
            buffer.append(UInt8(ascii: "\n"))
            if isLineBuffered || buffer.count >= 1 << 16 { try write(&buffer) }
        }
    }

    /// Prints bytes as they are.
    ///
    /// - Throws: ``OutputClosed`` when the reader has gone, ``CommandFailure`` when writing fails.
    func bytes(_ bytes: [UInt8]) throws {
        try buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            if buffer.count >= 1 << 16 { try write(&buffer) }
        }
    }

    /// Writes what is still held back.
    ///
    /// Every command ends with it.
    ///
    /// - Throws: ``OutputClosed`` when the reader has gone, ``CommandFailure`` when writing fails.
    func flush() throws {
        try buffer.withLock { try write(&$0) }
    }

    private func write(_ buffer: inout Data) throws {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        do {
            try handle.write(contentsOf: buffer)
        } catch {
            if Self.isBrokenPipe(error) { throw OutputClosed() }
            throw CommandFailure("\(name) could not be written: \(error.localizedDescription)")
        }
    }

    private static func isBrokenPipe(_ error: any Error) -> Bool {
        var next: NSError? = error as NSError
        while let current = next {
            if current.domain == NSPOSIXErrorDomain,
                current.code == Int(POSIXErrorCode.EPIPE.rawValue)
            {
                return true
            }
            next = current.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }
}

/// The reader of standard output has gone, as in `settle get shop --all | head`.
struct OutputClosed: Error {}
