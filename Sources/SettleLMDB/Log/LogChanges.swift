/// What a write transaction has put and deleted, as the content of a record.
///
/// Belongs to the environment and is used under the writer's place only, so that its memory serves one transaction
/// after the other. Content: a sequence of changes, each a byte that says which, then its fields; a table is named
/// before its first change and has a number from then on.
final class LogChanges: @unchecked Sendable {
    /// What a change is.
    enum Kind: UInt8 {
        /// A table's name follows: its length 2, the name.
        case table = 1
        /// Number of the table 2, lengths of key 2 and value 4, key, value.
        case put
        /// Number of the table 2, length of the key 2, key.
        case delete
        /// Number of the table 2.
        case clear
    }

    /// The header's place and the content.
    private(set) var bytes: [UInt8] = []
    private var tables: [UInt64] = []
    private let limit: Int
    /// Whether the transaction's changes are all in `bytes`; else it cannot be logged.
    private(set) var isComplete = false

    /// - Parameter limit: More bytes than this are not kept.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether there is a change.
    var isEmpty: Bool { bytes.count <= LogRecord.headerBytes }

    /// Forgets everything: a transaction begins.
    ///
    /// - Parameter isKept: Whether its changes are kept.
    func begin(isKept: Bool) {
        isComplete = isKept
        tables.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * limit)
        if isKept {
            bytes.append(contentsOf: repeatElement(0, count: LogRecord.headerBytes))
        }
    }

    /// Gives up: there is a change that no record can hold.
    func giveUp() {
        isComplete = false
    }

    func put(_ value: UnsafeRawBufferPointer, for key: [UInt8], in table: Table) {
        guard reserve(9 + key.count + value.count, for: table) else { return }
        let number = number(of: table)
        bytes.append(Kind.put.rawValue)
        bytes.appendInteger(number)
        bytes.appendInteger(UInt16(key.count))
        bytes.appendInteger(UInt32(value.count))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    func delete(_ key: [UInt8], from table: Table) {
        guard reserve(5 + key.count, for: table) else { return }
        let number = number(of: table)
        bytes.append(Kind.delete.rawValue)
        bytes.appendInteger(number)
        bytes.appendInteger(UInt16(key.count))
        bytes.append(contentsOf: key)
    }

    func clear(_ table: Table) {
        guard reserve(3, for: table) else { return }
        let number = number(of: table)
        bytes.append(Kind.clear.rawValue)
        bytes.appendInteger(number)
    }

    /// Makes the bytes a record.
    func seal(as place: LogRecord.Place, faults: CommitLogFaults) {
        LogRecord.seal(&bytes, as: place, faults: faults)
    }

    private func reserve(_ count: Int, for table: Table) -> Bool {
        guard isComplete else { return false }
        if bytes.count + count + table.name.utf8.count + 3 > limit { isComplete = false }
        return isComplete
    }

    private func number(of table: Table) -> UInt16 {
        if let known = tables.firstIndex(of: table.serial) { return UInt16(known) }
        tables.append(table.serial)
        bytes.append(Kind.table.rawValue)
        bytes.appendInteger(UInt16(table.name.utf8.count))
        bytes.append(contentsOf: table.name.utf8)
        return UInt16(tables.count - 1)
    }
}

/// A change of a record.
enum LogChange: Equatable {
    case put(table: String, key: [UInt8], value: [UInt8])
    case delete(table: String, key: [UInt8])
    case clear(table: String)
}

extension LogRecord {
    /// The changes, in their order; nil when the content is none of ours.
    func changes() -> [LogChange]? {
        var reader = LogContentReader(content)
        var tables: [String] = []
        var changes: [LogChange] = []
        while let byte = reader.byte() {
            guard let kind = LogChanges.Kind(rawValue: byte) else { return nil }
            if kind == .table {
                guard let count = reader.integer(UInt16.self), let name = reader.text(Int(count))
                else { return nil }
                tables.append(name)
                continue
            }
            guard let number = reader.integer(UInt16.self), Int(number) < tables.count else {
                return nil
            }
            let table = tables[Int(number)]
            switch kind {
            case .table: return nil
            case .clear: changes.append(.clear(table: table))
            case .delete:
                guard let count = reader.integer(UInt16.self), let key = reader.bytes(Int(count))
                else { return nil }
                changes.append(.delete(table: table, key: key))
            case .put:
                guard let keyCount = reader.integer(UInt16.self),
                    let valueCount = reader.integer(UInt32.self),
                    let key = reader.bytes(Int(keyCount)), let value = reader.bytes(Int(valueCount))
                else { return nil }
                changes.append(.put(table: table, key: key, value: value))
            }
        }
        return changes
    }
}

/// Takes fields from the front of a content.
private struct LogContentReader {
    private let content: [UInt8]
    private var place = 0

    init(_ content: [UInt8]) {
        self.content = content
    }

    mutating func byte() -> UInt8? { integer(UInt8.self) }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard let value = content.logInteger(at: place, as: type) else { return nil }
        place += T.bitWidth / 8
        return value
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= content.count - place else { return nil }
        defer { place += count }
        return Array(content[place..<place + count])
    }

    mutating func text(_ count: Int) -> String? {
        guard let bytes = bytes(count) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
