import Foundation
import Settle

/// The rules by which operations get into the lists of those that may start, and out of them.
///
/// An operation is *free* when everything it depends on is done and, if its graph is strict, no
/// earlier graph of the pipeline has an operation left. A free operation is in exactly one list
/// (``OperationPlace``), any other in none; so the next one to start is always the first of a list, however
/// long the queue is. All of it is kept in the database, nothing in memory.
struct OperationSchedule {
    let table: OutboxTable
    /// What holds are compared with.
    let now: Date

    // MARK: Lists

    /// Puts an operation into the list where it belongs, if it is free.
    ///
    /// It is in no list, or in that one, or was started: one that something else works at may have
    /// been started before its turn, and that comes while it is.
    func list(_ key: OperationKey, _ row: OperationRow) throws {
        var lowest = LowestGraphs(table: table)
        try list(key, row, &lowest)
    }

    /// Puts an operation into the list where it belongs, if it is free, as ``list(_:_:)`` does.
    ///
    /// - Parameters:
    ///   - key: The operation.
    ///   - row: Its row.
    ///   - lowest: The lowest graphs. No operation may have come or gone since they were looked up.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be written.
    func list(
        _ key: OperationKey, _ row: OperationRow, _ lowest: inout LowestGraphs
    ) throws {
        if row.startCount > 0, try isStarted(key) { return }
        if row.isStrict, try lowest.graph(of: key.pipeline) != key.graph { return }
        if !row.dependencies.isEmpty, try table.waits(key.number) { return }
        try enlist(key, row)
    }

    /// Puts a free operation into a list.
    private func enlist(_ key: OperationKey, _ row: OperationRow) throws {
        var place = OperationPlace.ready
        if let date = row.holdDate, date > now { place = .held(date) }
        try table.set(OutboxRowKey.place(place, key, priority: row.priority))
    }

    /// Takes an operation out of whatever list it is in.
    func unlist(_ key: OperationKey, _ row: OperationRow) throws {
        var places = [OperationPlace.ready, .started, .unknown]
        if let date = row.holdDate { places.append(.held(date)) }
        for place in places {
            if try table.remove(OutboxRowKey.place(place, key, priority: row.priority)) { return }
        }
    }

    func isStarted(_ key: OperationKey) throws -> Bool {
        try table.isListed(key, in: .started, priority: 0)
    }

    // MARK: Ends

    /// Removes an operation that is done or given up, and frees what waited for it.
    func finish(_ key: OperationKey, _ row: OperationRow) throws {
        try unlist(key, row)
        try table.remove(OutboxRowKey.operation(key))
        try table.remove(OutboxRowKey.id(row.id))
        for id in row.documentIds { try table.remove(OutboxRowKey.document(id, key)) }
        for dependency in try table.dependencies(of: key.number) {
            try table.removeWait(of: key.number, for: dependency)
        }
        for dependant in try table.dependants(of: key.number) {
            try table.removeWait(of: dependant.number, for: key.number)
            // One that waits for many others still is not read for each of them.
            if try table.waits(dependant.number) { continue }
            let freed = OperationKey(
                pipeline: key.pipeline, graph: dependant.graph, number: dependant.number)
            guard let row = try table.row(freed) else { throw OutboxTable.damage }
            try list(freed, row)
        }
        try openNext(after: key)
    }

    /// Frees the operations of the graph that is the lowest now, if it was not before.
    private func openNext(after finished: OperationKey) throws {
        guard let lowest = try table.lowestGraph(of: finished.pipeline),
            lowest > finished.graph
        else { return }
        try openGraph(lowest, of: finished.pipeline)
    }

    /// Frees the operations of a strict graph that has become the lowest.
    private func openGraph(_ graph: UInt64, of pipeline: UInt32) throws {
        var opened: [(OperationKey, OperationRow)] = []
        try table.forEachOperation(of: pipeline, graph: graph) { key, row in
            // Those of a flat graph were listed when they were added.
            if row.isStrict { opened.append((key, row)) }
            return true
        }
        var lowest = LowestGraphs(table: table)
        for (key, row) in opened { try list(key, row, &lowest) }
    }

    /// Takes the operations of a strict graph out of the lists of those that may start, because an
    /// earlier graph has operations again.
    func close(_ graph: UInt64, of pipeline: UInt32) throws {
        var closed: [(OperationKey, OperationRow)] = []
        try table.forEachOperation(of: pipeline, graph: graph) { key, row in
            if row.isStrict { closed.append((key, row)) }
            return true
        }
        for (key, row) in closed where try !isStarted(key) { try unlist(key, row) }
    }

    // MARK: Starts

    /// Starts the next operations of a pipeline.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline.
    ///   - countMax: How many at most.
    ///   - isKnown: Whether operations of that name can be started; others are listed apart.
    /// - Returns: The operations, marked as started, in the order in which they are to start.
    /// - Throws: ``DatabaseError`` when the database is damaged or cannot be written.
    func start(
        of pipeline: UInt32, countMax: Int, isKnown: (String) -> Bool
    ) throws -> [(key: OperationKey, row: OperationRow)] {
        try releaseHeld(of: pipeline)
        var started: [(OperationKey, OperationRow)] = []
        while started.count < countMax {
            let wanted = min(countMax - started.count, 256)
            let keys = try table.keys(in: .ready, of: pipeline, countMax: wanted)
            if keys.isEmpty { break }
            for key in keys {
                guard var row = try table.row(key) else { throw OutboxTable.damage }
                try table.remove(OutboxRowKey.place(.ready, key, priority: row.priority))
                guard isKnown(row.name) else {
                    try table.set(OutboxRowKey.place(.unknown, key, priority: row.priority))
                    continue
                }
                try start(key, &row)
                started.append((key, row))
            }
        }
        return started
    }

    /// Marks an operation that is in no list as started.
    func start(_ key: OperationKey, _ row: inout OperationRow) throws {
        row.startCount += 1
        row.holds = row.holds.filter { $0.value > now }
        try table.set(row, key)
        try table.set(OutboxRowKey.place(.started, key, priority: row.priority))
    }

    /// Lets operations start whose holds have ended.
    private func releaseHeld(of pipeline: UInt32) throws {
        for key in try table.keys(in: .held(now), of: pipeline, until: now) {
            guard let row = try table.row(key) else { throw OutboxTable.damage }
            try unlist(key, row)
            try table.set(OutboxRowKey.place(.ready, key, priority: row.priority))
        }
    }

    /// Lists again what a process before this one had started or did not know.
    func recover(_ pipeline: UInt32) throws {
        for place in [OperationPlace.started, .unknown] {
            for key in try table.keys(in: place, of: pipeline) {
                guard let row = try table.row(key) else { throw OutboxTable.damage }
                try table.remove(OutboxRowKey.place(place, key, priority: row.priority))
                // What was marked as active before its turn waits for it now.
                try list(key, row)
            }
        }
    }

    // MARK: Moves

    /// Moves every operation of a pipeline to another one; none of either may be started.
    ///
    /// Graphs keep their numbers, so the operations of both are in the order of their commits.
    func moveAll(from old: UInt32, to new: UInt32) throws {
        var moved: [(OperationKey, OperationRow)] = []
        try table.forEachOperation(of: old) { key, row in
            moved.append((key, row))
            return true
        }
        for (key, row) in moved {
            try unlist(key, row)
            try table.remove(OutboxRowKey.operation(key))
            var target = key
            target.pipeline = new
            try table.set(row, target)
            try table.set(target.bytes, for: OutboxRowKey.id(row.id))
            for id in row.documentIds {
                try table.remove(OutboxRowKey.document(id, key))
                try table.set(OutboxRowKey.document(id, target))
            }
        }
        if !moved.isEmpty { try relistAll(of: new) }
    }

    private func relistAll(of pipeline: UInt32) throws {
        var all: [(OperationKey, OperationRow)] = []
        try table.forEachOperation(of: pipeline) { key, row in
            all.append((key, row))
            return true
        }
        var lowest = LowestGraphs(table: table)
        for (key, row) in all {
            try unlist(key, row)
            try list(key, row, &lowest)
        }
    }
}

/// The lowest graphs of pipelines, each looked up once.
///
/// Good for as long as no operation comes or goes.
struct LowestGraphs {
    let table: OutboxTable
    private var graphs: [UInt32: UInt64?] = [:]

    init(table: OutboxTable) {
        self.table = table
    }

    /// The lowest graph of a pipeline that has an operation; nil when the pipeline is empty.
    mutating func graph(of pipeline: UInt32) throws -> UInt64? {
        if let known = graphs[pipeline] { return known }
        let graph = try table.lowestGraph(of: pipeline)
        graphs.updateValue(graph, forKey: pipeline)
        return graph
    }
}
