/// Something that a process did to the files of a folder, or said of itself, as `Tests/FaultShim` recorded it.
struct TraceEvent: Sendable, Equatable {
    /// What was done.
    enum Action: Sendable, Equatable {
        /// A file was opened.
        case open(isNew: Bool, isEmptied: Bool)
        /// Bytes came into a file. One that flushes itself has an identifier, and an end.
        case write(offset: Int, bytes: [UInt8], identifier: UInt64?)
        case writeEnd(identifier: UInt64, isSound: Bool)
        case truncate(length: Int)
        /// A file got room, so that it is at least so long.
        case allocate(offset: Int, length: Int)
        /// A flush began.
        case flush(identifier: UInt64)
        case flushEnd(identifier: UInt64, isSound: Bool)
        case rename(to: String)
        case link(to: String)
        case unlink
        /// The process wrote to its standard output.
        case mark(String)
    }

    var action: Action
    /// Which file it was done to: the number of its inode; 0 where only a name counts.
    var file: UInt64 = 0
    /// The path of the file or folder, as far as it has one.
    var path = ""
    /// The process that did it.
    var process: UInt32 = 0
}

/// Reads the file that `Tests/FaultShim/Recorder.c` writes; its header `Recorder.h` has the form.
enum Trace {
    /// The bytes are no trace.
    struct Unreadable: Error {
        let offset: Int
    }

    private static let headCount = 56
    private static let magic: UInt64 = 0x4352_5453

    /// The events of a trace, in order.
    ///
    /// A record that is cut off at the end is that of a process which was killed, and is left out.
    ///
    /// - Throws: ``Unreadable``.
    static func events(_ bytes: [UInt8]) throws -> [TraceEvent] {
        var events: [TraceEvent] = []
        var place = 0
        while bytes.count - place >= headCount {
            func number(_ offset: Int, _ count: Int) -> UInt64 {
                (0..<count).reduce(UInt64(0)) {
                    $0 | UInt64(bytes[place + offset + $1]) << (8 * $1)
                }
            }
            guard number(0, 4) == magic else { throw Unreadable(offset: place) }
            let (kind, flags) = (bytes[place + 4], bytes[place + 5])
            let (pathCount, otherCount) = (Int(number(6, 2)), Int(number(12, 4)))
            let length = Int(number(40, 8))
            let hasBytes = kind == 2 || kind == 11
            let end = place + headCount + pathCount + otherCount + (hasBytes ? length : 0)
            if end > bytes.count { break }
            let pathEnd = place + headCount + pathCount
            let other = String(decoding: bytes[pathEnd..<pathEnd + otherCount], as: UTF8.self)
            let content = Array(bytes[(pathEnd + otherCount)..<end])
            let identifier = number(24, 8)
            let isSound = Int64(bitPattern: number(48, 8)) >= 0
            let offset = Int(number(32, 8))
            let action: TraceEvent.Action
            switch kind {
            case 1: action = .open(isNew: flags & 1 != 0, isEmptied: flags & 2 != 0)
            case 2:
                action = .write(
                    offset: offset, bytes: content, identifier: flags & 4 != 0 ? identifier : nil)
            case 3: action = .writeEnd(identifier: identifier, isSound: isSound)
            case 4: action = .truncate(length: length)
            case 5: action = .allocate(offset: offset, length: length)
            case 6: action = .flush(identifier: identifier)
            case 7: action = .flushEnd(identifier: identifier, isSound: isSound)
            case 8: action = .rename(to: other)
            case 9: action = .link(to: other)
            case 10: action = .unlink
            case 11: action = .mark(String(decoding: content, as: UTF8.self))
            default: throw Unreadable(offset: place)
            }
            events.append(
                TraceEvent(
                    action: action, file: number(16, 8),
                    path: String(decoding: bytes[place + headCount..<pathEnd], as: UTF8.self),
                    process: UInt32(truncatingIfNeeded: number(8, 4))))
            place = end
        }
        return events
    }
}
