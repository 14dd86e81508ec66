import Foundation
import Settle

/// Looks at the queue of the outbox: every row, and every pointer from both ends.
struct OutboxCheck {
    private let table: OutboxTable
    private let report: SideTableReport
    private var operations: [UInt64: Operation] = [:]
    /// How many rows of lists each operation has, those of the started ones included.
    private var listings: [UInt64: [UInt8]] = [:]
    private var pipelines: Set<UInt32> = []

    /// What is remembered of an operation.
    private struct Operation {
        let key: OperationKey
        let id: UUID
        let priority: Int32
        let isStrict: Bool
        let holdDate: Date?
    }

    private static let place = "side table '\(OutboxTable.name)'"

    init(_ table: OutboxTable, _ report: SideTableReport) {
        self.table = table
        self.report = report
    }

    /// - Throws: ``DatabaseError`` when the database cannot be read; what ends the check.
    mutating func run() throws {
        try checkNumbers()
        try checkOperations()
        try checkIdentifiers()
        try checkLists()
        try checkWaits()
        try checkDocuments()
        try checkPlaces()
        try table.forEach(of: []) { key, _ in
            if key[0] > OutboxRowKey.pipelines[0] { find("A row is of no kind that is known.") }
            return true
        }
    }

    private func find(_ problem: String) { report.found(problem, in: Self.place) }

    private func find(_ problem: String, _ number: UInt64) {
        report.found(problem, in: "\(Self.place), operation \(number)")
    }

    // MARK: Counters and pipelines

    private mutating func checkNumbers() throws {
        guard let counters = try? table.counters() else {
            return find("The counters cannot be read.")
        }
        if try table.value(for: OutboxRowKey.counters) != nil { try report.advance() }
        var found: Set<UInt32> = []
        try table.forEach(of: OutboxRowKey.pipelines) { key, value in
            try report.advance()
            guard let name = String(validating: key.dropFirst(), as: UTF8.self),
                let record = try? PipelineRecord(decoding: value, name: name)
            else {
                find("A pipeline cannot be read.")
                return true
            }
            if !found.insert(record.number).inserted {
                find("Two pipelines have the number \(record.number).")
            }
            if record.number > counters.pipeline || record.strictGraphLast > counters.graph {
                find("The pipeline '\(name)' has numbers that were never given.")
            }
            return true
        }
        pipelines = found
    }

    // MARK: Operations

    private mutating func checkOperations() throws {
        let counters = (try? table.counters()) ?? OutboxCounters()
        var found: [UInt64: Operation] = [:]
        try table.forEach(of: [1]) { bytes, value in
            try report.advance()
            guard let key = OperationKey(bytes.dropFirst()) else {
                find("The key of an operation cannot be read.")
                return true
            }
            guard let row = try? OperationRow(decoding: value, key),
                (try? row.content.check()) != nil
            else {
                find("It cannot be read.", key.number)
                return true
            }
            let operation = Operation(
                key: key, id: row.id, priority: row.priority, isStrict: row.isStrict,
                holdDate: row.holdDate)
            if found.updateValue(operation, forKey: key.number) != nil {
                find("Another one has its number.", key.number)
            }
            if key.number > counters.operation || key.graph > counters.graph {
                find("Its numbers were never given.", key.number)
            }
            if !pipelines.contains(key.pipeline) { find("It is in no pipeline.", key.number) }
            if try table.value(for: OutboxRowKey.id(row.id)) != key.bytes {
                find("It is not found by its identifier.", key.number)
            }
            for id in row.documentIds
            where try table.value(for: OutboxRowKey.document(id, key)) == nil {
                find("It is not found by the document '\(id)'.", key.number)
            }
            return true
        }
        operations = found
    }

    /// The operation with a key; nil, and a finding, when there is none.
    private func operation(_ key: OperationKey?, _ row: String) -> Operation? {
        guard let key, let operation = operations[key.number], operation.key == key else {
            find("\(row) leads to no operation.")
            return nil
        }
        return operation
    }

    private func checkIdentifiers() throws {
        try table.forEach(of: [2]) { bytes, value in
            try report.advance()
            if let operation = operation(OperationKey(value), "An identifier"),
                OutboxRowKey.id(operation.id) != bytes
            {
                find("Another identifier leads to it as well.", operation.key.number)
            }
            return true
        }
    }

    private func checkDocuments() throws {
        try table.forEach(of: [6]) { bytes, _ in
            try report.advance()
            guard bytes.count > 1 + OperationKey.length,
                let key = OperationKey(bytes.suffix(OperationKey.length)),
                let operation = operation(key, "A document")
            else { return true }
            let id = bytes.dropFirst().dropLast(OperationKey.length + 1)
            let row = try? table.row(operation.key)
            // By bytes: equal texts of different bytes are different documents.
            if let row, !row.documentIds.contains(where: { $0.utf8.elementsEqual(id) }) {
                find("A document leads to it that it is not about.", key.number)
            }
            return true
        }
    }

    // MARK: Lists

    private mutating func checkLists() throws {
        var found: [UInt64: [UInt8]] = [:]
        try table.forEach(of: [3]) { bytes, _ in
            try report.advance()
            guard bytes.count >= 22 else {
                find("A row of a list cannot be read.")
                return true
            }
            let pipeline = UInt32(truncatingIfNeeded: bytes[1..<5].bigEndianNumber)
            let key = OutboxRowKey.operation(ofPlace: bytes, pipeline: pipeline)
            guard let operation = operation(key, "A row of a list") else { return true }
            let places: [OperationPlace] = [
                .ready, .held(operation.holdDate ?? .distantPast), .started, .unknown,
            ]
            guard
                let place = places.first(where: { place in
                    OutboxRowKey.place(place, operation.key, priority: operation.priority) == bytes
                })
            else {
                find("It is listed under a key that is not its own.", operation.key.number)
                return true
            }
            found[operation.key.number, default: []].append(place.code)
            return true
        }
        listings = found
    }

    /// A free operation is in exactly one list, any other in none or in that of the started ones.
    private func checkPlaces() throws {
        var lowest = LowestGraphs(table: table)
        for (number, operation) in operations {
            let waits = try table.waits(number)
            let isBehind =
                try operation.isStrict
                && lowest.graph(of: operation.key.pipeline) != operation.key.graph
            let lists = listings[number] ?? []
            if waits || isBehind {
                if lists.contains(where: { $0 != OperationPlace.started.code }) {
                    find("It waits for others, and is listed as if it did not.", number)
                }
            } else if lists.count != 1 {
                find("It waits for nothing, and is in \(lists.count) lists.", number)
            }
        }
    }

    // MARK: Dependencies

    private func checkWaits() throws {
        try table.forEach(of: [4]) { bytes, _ in
            try report.advance()
            guard bytes.count == 17 else {
                find("A dependency cannot be read.")
                return true
            }
            let (number, other) = (bytes[1..<9].bigEndianNumber, bytes[9...].bigEndianNumber)
            guard let operation = operations[number], operations[other] != nil else {
                find("It waits, or is waited for, and is not there.", number)
                return true
            }
            let back = try table.value(for: OutboxRowKey.dependant(of: other, number))
            if back?.bigEndianNumber != operation.key.graph {
                find("What it waits for does not know of it.", number)
            }
            return true
        }
        try table.forEach(of: [5]) { bytes, _ in
            try report.advance()
            guard bytes.count == 17 else {
                find("A dependency cannot be read.")
                return true
            }
            let (number, other) = (bytes[1..<9].bigEndianNumber, bytes[9...].bigEndianNumber)
            if try table.value(for: OutboxRowKey.wait(of: other, for: number)) == nil {
                find("What is said to wait for it does not.", number)
            }
            return true
        }
    }
}
