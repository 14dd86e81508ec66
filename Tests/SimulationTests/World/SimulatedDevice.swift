import Foundation
import Settle
import SettleSync
import Synchronization
import TestSupport

/// A device: a database in a directory of its own that is closed and opened again.
actor SimulatedDevice {
    let name: String
    /// A document that only this device ever writes to.
    nonisolated let ownId: String
    /// Only documents in one of these are fetched; empty for all.
    private(set) var channels: [String] = []
    private(set) var database: Database

    private let directory: URL
    private let ledger: Ledger
    private let journal: Journal
    nonisolated let clock: DeviceClock
    private var editCount = 0
    private var isEditing = false
    /// What the device's own document must be.
    private(set) var own: [String: JSONValue]?
    /// The revision of the device's own document, which nothing but its own edits may change.
    private var ownRevision: String?

    /// A device with an empty database.
    init(
        _ name: String, in scratch: ScratchDirectory, time: SimulatedTime, clockOffset: Int,
        ledger: Ledger, journal: Journal
    ) async throws {
        self.name = name
        ownId = "own_\(name)"
        self.ledger = ledger
        self.journal = journal
        clock = DeviceClock(time: time, offset: clockOffset)
        directory = try scratch.folder(name)
        database = try await Self.open(directory, clock)
    }

    private static func open(_ directory: URL, _ clock: DeviceClock) async throws -> Database {
        let configuration = Database.OpenDatabaseConfiguration(
            name: "db", fileLocation: directory,
            completionQueue: DispatchQueue(label: "settle.tests.completion"),
            durability: .relaxed, now: { clock.now })
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that is to be created is there.")
        }
        return database
    }

    func close() async {
        await database.stopReplication()
        await database.close()
    }

    func restart() async throws {
        await close()
        database = try await Self.open(directory, clock)
    }

    func limit(to channels: [String]) {
        self.channels = channels
    }

    // MARK: Edits

    /// Does something by chance to one of the documents.
    func edit(_ ids: [String], _ draw: UInt64) async throws {
        // One after the other: what a document must be is written down beside its transaction.
        guard !isEditing else { return }
        isEditing = true
        defer { isEditing = false }
        var random = SeededGenerator(seed: draw)
        if random.next() % 4 == 0 { return try await editOwn(random.next()) }
        let id = ids[Int(random.next() % UInt64(ids.count))]
        switch random.next() % 8 {
        case 0: try await delete(id)
        case 1: try await change(id, channels: SimulatedChannels.some(random.next()))
        case 2: try await change(id, removesMark: true)
        default: try await change(id)
        }
    }

    /// Adds a mark to a document, which is made when it is not there.
    private func change(
        _ id: String, channels: JSONValue? = nil, removesMark: Bool = false
    ) async throws {
        editCount += 1
        let mark = Ledger.mark(name, editCount)
        let removed = try await database.write { transaction in
            let before = try transaction.document(id)
            var document = before ?? Document(id: id)
            var removed: String?
            if removesMark { removed = Ledger.marks(in: document.json).min() }
            if let removed { document[json: removed] = nil }
            document[json: mark] = true
            document[json: "last"] = .string(mark)
            if let channels { document[json: "channels"] = channels }
            if before == nil, channels == nil {
                document[json: "channels"] = SimulatedChannels.some(7)
            }
            try transaction.save(document)
            return removed
        }
        if let removed { ledger.gaveUp([removed], of: id) }
        ledger.wrote(mark, in: id, by: name)
        let words = [
            removed.map { "without \($0)" }, channels.map { "channels \($0)" },
        ].compactMap(\.self)
        journal.note("\(name) writes \(mark) to '\(id)' \(words.joined(separator: ", "))")
    }

    /// Deletes a document: whoever does gives up what it can see in it.
    private func delete(_ id: String) async throws {
        let marks = try await database.write { transaction in
            let marks = Ledger.marks(in: try transaction.document(id)?.json)
            try transaction.delete(documentWithId: id)
            return marks
        }
        ledger.gaveUp(marks, of: id)
        journal.note("\(name) deletes '\(id)'")
    }

    /// Changes the document that nobody else writes to, and remembers what it must be.
    private func editOwn(_ draw: UInt64) async throws {
        let id = ownId
        let revision = try await database.fetchDocument(id)?.metaData.revision
        if revision != ownRevision {
            ledger.complain(
                "\(name) has revision \(revision ?? "none") of '\(id)', which it left as "
                    + "\(ownRevision ?? "none").")
        }
        if draw % 5 == 0 {
            own = nil
            ownRevision = nil
            return try await delete(id)
        }
        editCount += 1
        var members = own ?? ["channels": SimulatedChannels.some(7)]
        members["count"] = .integer((members["count"]?.integerValue ?? 0) + 1)
        members["last"] = .string(Ledger.mark(name, editCount))
        // Numbers that no double holds, and numbers of either kind.
        let large = 9_007_199_254_740_993 + 2 * Int64(draw / 8 % 1_000)
        members["large"] = [
            .integer(large), ["max": .integer(.max - Int64(editCount)), "one": 1.0],
        ]
        members["whole"] = .integer(large)
        own = members
        let document = members.reduce(into: Document(id: id)) { $0[json: $1.key] = $1.value }
        ownRevision = try await database.save(document).metaData.revision
        journal.note("\(name) writes to '\(id)' for the \(members["count"] ?? .null). time")
    }

    // MARK: What is there

    /// The members of all documents without nulls, by identifier.
    func contents() throws -> [String: [String: JSONValue]] {
        try database.read { snapshot in
            var contents: [String: [String: JSONValue]] = [:]
            try snapshot.forEachDocument { document in
                contents[document.id] = document.json.filter { !$0.value.isNull }
                return true
            }
            return contents
        }
    }

    /// The nulls that stand for members which nobody ever wrote to their document.
    func strayNulls() throws -> [String] {
        try database.read { snapshot in
            var strays: [String] = []
            try snapshot.forEachDocument { document in
                for (member, value) in document.json
                where value.isNull && !ledger.isWritten(member, in: document.id) {
                    strays.append("\(name) has a null '\(member)' in '\(document.id)'.")
                }
                return true
            }
            return strays
        }
    }

    /// Settles the conflicts that were left, as `judge` says.
    func resolve(with judge: Judge, _ draw: UInt64) async throws {
        for conflict in try database.replicationConflicts() {
            if conflict.local?.json == conflict.server?.json {
                ledger.complain(
                    "\(name) lists a conflict of '\(conflict.documentId)' with itself.")
            }
            let handler = judge.handler(for: self, ledger, journal)
            let resolution = await handler(conflict)
            let isDone = try await database.resolve(conflict, with: resolution)
            journal.note(
                "\(name) settles '\(conflict.documentId)' \(isDone ? "" : "in vain")")
        }
    }
}

/// The clock on a device's wall.
final class DeviceClock: Sendable {
    private let time: SimulatedTime
    private let offset: Mutex<Int>

    /// A clock that is off by so many milliseconds.
    init(time: SimulatedTime, offset: Int) {
        self.time = time
        self.offset = Mutex(offset)
    }

    var now: Date { time.date(offBy: offset.withLock { $0 }) }

    func move(milliseconds: Int) {
        offset.withLock { $0 += milliseconds }
    }
}
