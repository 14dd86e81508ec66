import Foundation

/// The keys of the outbox's table; the first byte says what a row is.
///
/// Docs/Formats/Outbox.md has the whole of it.
enum OutboxRowKey {
    /// The counters.
    static let counters: [UInt8] = [0]

    /// The row of an operation.
    static func operation(_ key: OperationKey) -> [UInt8] {
        var bytes = begin(1, count: OperationKey.length)
        key.append(to: &bytes)
        return bytes
    }

    /// What the rows of a pipeline's operations begin with.
    static func operations(pipeline: UInt32) -> [UInt8] {
        var bytes = begin(1, count: 12)
        bytes.append(bigEndian: pipeline)
        return bytes
    }

    /// What the rows of a graph's operations begin with.
    static func operations(pipeline: UInt32, graph: UInt64) -> [UInt8] {
        var bytes = operations(pipeline: pipeline)
        bytes.append(bigEndian: graph)
        return bytes
    }

    /// Where the key of an operation is found by its identifier.
    static func id(_ id: UUID) -> [UInt8] { [2] + id.bytes }

    /// Where an operation is listed, if it may be started but for what the list says.
    static func place(_ place: OperationPlace, _ key: OperationKey, priority: Int32) -> [UInt8] {
        var bytes = places(place, pipeline: key.pipeline)
        switch place {
        case .ready: bytes.append(bigEndian: UInt32(bitPattern: ~priority) ^ 0x8000_0000)
        case .held(let date): bytes.append(bigEndian: Self.microseconds(date))
        case .started, .unknown: break
        }
        bytes.append(bigEndian: key.graph)
        bytes.append(bigEndian: key.number)
        return bytes
    }

    /// What the rows of a list begin with.
    static func places(_ place: OperationPlace, pipeline: UInt32) -> [UInt8] {
        var bytes = begin(3, count: 29)
        bytes.append(bigEndian: pipeline)
        bytes.append(place.code)
        return bytes
    }

    /// The operation that a row of a list is about; nil for damaged bytes.
    static func operation(ofPlace bytes: [UInt8], pipeline: UInt32) -> OperationKey? {
        guard bytes.count >= 22 else { return nil }
        return OperationKey(
            pipeline: pipeline, graph: bytes.suffix(16).prefix(8).bigEndianNumber,
            number: bytes.suffix(8).bigEndianNumber)
    }

    /// The date of a row of the held ones; nil for damaged bytes.
    static func date(ofHeld bytes: [UInt8]) -> Date? {
        guard bytes.count == 30 else { return nil }
        return Self.date(bytes.dropFirst(6).prefix(8).bigEndianNumber)
    }

    /// That one operation waits for another.
    static func wait(of operation: UInt64, for dependency: UInt64) -> [UInt8] {
        var bytes = waits(of: operation)
        bytes.append(bigEndian: dependency)
        return bytes
    }

    /// What an operation waits for.
    static func waits(of operation: UInt64) -> [UInt8] {
        var bytes = begin(4, count: 16)
        bytes.append(bigEndian: operation)
        return bytes
    }

    /// That one operation is waited for by another.
    static func dependant(of dependency: UInt64, _ operation: UInt64) -> [UInt8] {
        var bytes = dependants(of: dependency)
        bytes.append(bigEndian: operation)
        return bytes
    }

    /// What waits for an operation.
    static func dependants(of dependency: UInt64) -> [UInt8] {
        var bytes = begin(5, count: 16)
        bytes.append(bigEndian: dependency)
        return bytes
    }

    /// That an operation is about a document.
    static func document(_ id: String, _ key: OperationKey) -> [UInt8] {
        var bytes = documents(id)
        key.append(to: &bytes)
        return bytes
    }

    /// What is about a document.
    static func documents(_ id: String) -> [UInt8] {
        var bytes = begin(6, count: id.utf8.count + 1 + OperationKey.length)
        bytes.append(contentsOf: id.utf8)
        bytes.append(0)
        return bytes
    }

    /// What is known of a pipeline.
    static func pipeline(_ name: String) -> [UInt8] { pipelines + Array(name.utf8) }

    /// What the rows of pipelines begin with.
    static let pipelines: [UInt8] = [7]

    /// A key that begins, with room for so many bytes: it is not moved while it is made.
    private static func begin(_ kind: UInt8, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + count)
        bytes.append(kind)
        return bytes
    }

    /// The microseconds since 1970: 0 for dates before, and no more than there are in 280,000 years.
    ///
    /// A date that was read gives the number it was read from, whatever its distance: an operation
    /// is found in the list of the held ones by it. So whole seconds and the rest are converted
    /// apart, and from the same moment that `Date` counts from.
    static func microseconds(_ date: Date) -> UInt64 {
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds.isNaN || seconds <= -Date.timeIntervalBetween1970AndReferenceDate { return 0 }
        if seconds >= 9e12 - Date.timeIntervalBetween1970AndReferenceDate {
            return 9_000_000_000_000_000_000
        }
        let whole = seconds.rounded(.down)
        let rest = Int64(((seconds - whole) * 1_000_000).rounded())
        return UInt64(max(0, (Int64(whole) + secondsBeforeReference) * 1_000_000 + rest))
    }

    /// The date that is so many microseconds after 1970.
    static func date(_ microseconds: UInt64) -> Date {
        let (whole, rest) = Int64(clamping: microseconds)
            .quotientAndRemainder(dividingBy: 1_000_000)
        return Date(
            timeIntervalSinceReferenceDate: Double(whole - secondsBeforeReference)
                + Double(rest) / 1_000_000)
    }

    /// From 1970 to the moment that `Date` counts from.
    private static let secondsBeforeReference: Int64 = 978_307_200
}

/// A list of operations of a pipeline that wait for nothing in the outbox.
enum OperationPlace: Sendable, Hashable {
    /// They may start, in the order of priorities, graphs, and numbers.
    case ready
    /// They may start at a date.
    case held(Date)
    /// They were started.
    case started
    /// They are of types that are not known.
    case unknown

    var code: UInt8 {
        switch self {
        case .ready: 0
        case .held: 1
        case .started: 2
        case .unknown: 3
        }
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: [UInt8] {
        let raw = uuid
        return [
            raw.0, raw.1, raw.2, raw.3, raw.4, raw.5, raw.6, raw.7, raw.8, raw.9, raw.10, raw.11,
            raw.12, raw.13, raw.14, raw.15,
        ]
    }

    /// An identifier from 16 bytes; nil for another number of them.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let raw = Array(bytes)
        self.init(
            uuid: (
                raw[0], raw[1], raw[2], raw[3], raw[4], raw[5], raw[6], raw[7], raw[8], raw[9],
                raw[10], raw[11], raw[12], raw[13], raw[14], raw[15]
            ))
    }
}
