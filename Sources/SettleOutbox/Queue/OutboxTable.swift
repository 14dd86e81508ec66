import Foundation
import Settle

/// The rows of the outbox in one state of the database; what is written commits with the documents.
///
/// All of them lie in one side table, so that an operation of a short queue costs few pages.
struct OutboxTable {
    static let name = "outbox"

    private let table: SideTable?

    /// A table to read from; it may not exist yet.
    init(in snapshot: Snapshot) throws {
        table = try snapshot.table(Self.name)
    }

    /// A table to read from and write to.
    init(writingIn transaction: Transaction) throws {
        table = try transaction.sideTable(named: Self.name)
    }

    // MARK: Rows

    func value(for key: [UInt8]) throws -> [UInt8]? { try table?.value(for: key) }

    func set(_ value: [UInt8], for key: [UInt8]) throws { try writable.set(value, for: key) }

    /// Notes that something is so; there is no more to say of it.
    func set(_ key: [UInt8]) throws { try writable.set([1], for: key) }

    @discardableResult
    func remove(_ key: [UInt8]) throws -> Bool { try writable.remove(key) }

    /// Walks the rows whose keys begin with some bytes; `body` answers false to stop.
    ///
    /// Nothing may be written meanwhile.
    func forEach(
        of prefix: [UInt8], from start: [UInt8]? = nil,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try table?.forEach(from: start ?? prefix) { key, value in
            guard key.starts(with: prefix) else { return false }
            return try body(key, value)
        }
    }

    /// The first key that begins with some bytes, and is not below others, without its value.
    func firstKey(of prefix: [UInt8], from start: [UInt8]? = nil) throws -> [UInt8]? {
        guard let key = try table?.firstKey(from: start ?? prefix), key.starts(with: prefix) else {
            return nil
        }
        return key
    }

    private var writable: SideTable {
        guard let table else {
            preconditionFailure("The outbox was opened for reading only.")
        }
        return table
    }

    // MARK: Operations

    func row(_ key: OperationKey) throws -> OperationRow? {
        try value(for: OutboxRowKey.operation(key)).map { try OperationRow(decoding: $0, key) }
    }

    func set(_ row: OperationRow, _ key: OperationKey) throws {
        try set(row.encoded(), for: OutboxRowKey.operation(key))
    }

    /// Where an operation is; nil when it is not in the outbox.
    func key(of id: UUID) throws -> OperationKey? {
        guard let bytes = try value(for: OutboxRowKey.id(id)) else { return nil }
        guard let key = OperationKey(bytes) else { throw Self.damage }
        return key
    }

    /// Walks the operations of a pipeline, in the order of graphs and numbers, from a graph on.
    func forEachOperation(
        of pipeline: UInt32, fromGraph graph: UInt64 = 0,
        _ body: (OperationKey, OperationRow) throws -> Bool
    ) throws {
        try forEachOperation(
            OutboxRowKey.operations(pipeline: pipeline),
            from: OutboxRowKey.operations(pipeline: pipeline, graph: graph), body)
    }

    /// Walks the operations of a pipeline that come after a place, in the order of graphs and numbers.
    func forEachOperation(
        of pipeline: UInt32, after place: OperationKey,
        _ body: (OperationKey, OperationRow) throws -> Bool
    ) throws {
        // No key begins with that of another, so the next one begins at the least that is longer.
        try forEachOperation(
            OutboxRowKey.operations(pipeline: pipeline),
            from: OutboxRowKey.operation(place) + [0], body)
    }

    /// Walks the operations of a graph, in the order of their numbers.
    func forEachOperation(
        of pipeline: UInt32, graph: UInt64, _ body: (OperationKey, OperationRow) throws -> Bool
    ) throws {
        try forEachOperation(OutboxRowKey.operations(pipeline: pipeline, graph: graph), body)
    }

    private func forEachOperation(
        _ prefix: [UInt8], from start: [UInt8]? = nil,
        _ body: (OperationKey, OperationRow) throws -> Bool
    ) throws {
        try forEach(of: prefix, from: start) { bytes, value in
            guard let key = OperationKey(bytes.dropFirst()) else { throw Self.damage }
            return try body(key, OperationRow(decoding: value, key))
        }
    }

    /// The lowest graph of a pipeline that has an operation; nil when there is none.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline.
    ///   - graph: The graph has a higher number than this one; 0 for any.
    /// - Returns: The number of the graph.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be read.
    func lowestGraph(of pipeline: UInt32, after graph: UInt64 = 0) throws -> UInt64? {
        if graph == .max { return nil }
        let start = OutboxRowKey.operations(pipeline: pipeline, graph: graph + 1)
        guard
            let first = try firstKey(
                of: OutboxRowKey.operations(pipeline: pipeline), from: start)
        else { return nil }
        guard let key = OperationKey(first.dropFirst()) else { throw Self.damage }
        return key.graph
    }

    // MARK: Dependencies

    /// Whether an operation waits for another.
    func waits(_ operation: UInt64) throws -> Bool {
        try firstKey(of: OutboxRowKey.waits(of: operation)) != nil
    }

    /// What an operation waits for, by numbers.
    func dependencies(of operation: UInt64) throws -> [UInt64] {
        try numbers(of: OutboxRowKey.waits(of: operation))
    }

    /// What waits for an operation: numbers, and the graphs they are in.
    func dependants(of operation: UInt64) throws -> [(number: UInt64, graph: UInt64)] {
        var found: [(UInt64, UInt64)] = []
        try forEach(of: OutboxRowKey.dependants(of: operation)) { key, value in
            found.append((key.suffix(8).bigEndianNumber, value.bigEndianNumber))
            return true
        }
        return found
    }

    func setWait(of key: OperationKey, for dependency: UInt64) throws {
        try set(OutboxRowKey.wait(of: key.number, for: dependency))
        var graph: [UInt8] = []
        graph.append(bigEndian: key.graph)
        try set(graph, for: OutboxRowKey.dependant(of: dependency, key.number))
    }

    func removeWait(of operation: UInt64, for dependency: UInt64) throws {
        try remove(OutboxRowKey.wait(of: operation, for: dependency))
        try remove(OutboxRowKey.dependant(of: dependency, operation))
    }

    private func numbers(of prefix: [UInt8]) throws -> [UInt64] {
        var numbers: [UInt64] = []
        try forEach(of: prefix) { key, _ in
            numbers.append(key.suffix(8).bigEndianNumber)
            return true
        }
        return numbers
    }

    // MARK: Places

    /// Whether an operation is in a list.
    func isListed(_ key: OperationKey, in place: OperationPlace, priority: Int32) throws -> Bool {
        try value(for: OutboxRowKey.place(place, key, priority: priority)) != nil
    }

    /// The first operations of a list, in its order.
    func keys(
        in place: OperationPlace, of pipeline: UInt32, countMax: Int = .max,
        until date: Date? = nil
    ) throws -> [OperationKey] {
        var keys: [OperationKey] = []
        if countMax == 0 { return keys }
        try forEach(of: OutboxRowKey.places(place, pipeline: pipeline)) { bytes, _ in
            guard let key = OutboxRowKey.operation(ofPlace: bytes, pipeline: pipeline) else {
                throw Self.damage
            }
            if let date, let own = OutboxRowKey.date(ofHeld: bytes), own > date { return false }
            keys.append(key)
            return keys.count < countMax
        }
        return keys
    }

    /// When the first of the held operations may start; nil when none is held.
    func nextHoldDate(of pipeline: UInt32) throws -> Date? {
        let prefix = OutboxRowKey.places(.held(.distantPast), pipeline: pipeline)
        return try firstKey(of: prefix).flatMap { OutboxRowKey.date(ofHeld: $0) }
    }

    // MARK: Pipelines

    /// Every pipeline that ever had an operation.
    func pipelines() throws -> [PipelineRecord] {
        var found: [PipelineRecord] = []
        try forEach(of: OutboxRowKey.pipelines) { key, value in
            found.append(
                try PipelineRecord(
                    decoding: value, name: String(decoding: key.dropFirst(), as: UTF8.self)))
            return true
        }
        return found
    }

    /// A pipeline; nil when it never had an operation.
    ///
    /// A name that is equal as a text is the same name, also by other bytes: `é` may be one character or
    /// two, and a file name or the source code of the next release has it otherwise.
    func pipeline(named name: String) throws -> PipelineRecord? {
        guard let stored = try value(for: OutboxRowKey.pipeline(name)) else {
            return try pipelines().first { $0.name == name }
        }
        return try PipelineRecord(decoding: stored, name: name)
    }

    func remove(_ record: PipelineRecord) throws {
        try remove(OutboxRowKey.pipeline(record.name))
    }

    func set(_ record: PipelineRecord) throws {
        try set(record.encoded(), for: OutboxRowKey.pipeline(record.name))
    }

    func counters() throws -> OutboxCounters {
        try value(for: OutboxRowKey.counters).map { try OutboxCounters(decoding: $0) }
            ?? OutboxCounters()
    }

    func set(_ counters: OutboxCounters) throws {
        try set(counters.encoded(), for: OutboxRowKey.counters)
    }

    static var damage: DatabaseError {
        DatabaseError(
            .corrupted,
            "The database is damaged: the outbox has a row that cannot be read. Check the "
                + "database; if it is sound, it was written by a newer release.")
    }
}
