import SettleDocuments
import SettlePrimitives
import Testing
import TestSupport

@testable import SettleStorage

/// What is done to a document, and what must be held of it afterwards.
private enum Step: CaseIterable {
    case put, putOther, delete, purge, hold, holdByOther, holdOther, end, expire, restore

    static func random(_ random: inout SeededGenerator) -> Step {
        allCases.randomElement(using: &random) ?? .put
    }
}

/// The naive form: what each holder has, with all of its members.
private struct HoldModel {
    struct Key: Hashable {
        let holder: UInt32
        let id: String
    }
    struct Held: Equatable {
        var note: [UInt8]
        var body: PackedValue
        var isDisplaced = false

        static func == (left: Held, right: Held) -> Bool {
            left.note == right.note && left.body.bytes == right.body.bytes
                && left.isDisplaced == right.isDisplaced
        }
    }

    var held: [Key: Held] = [:]
    private(set) var live: [String: PackedValue] = [:]
    private var known: Set<String> = []
    private var count: UInt8 = 0

    /// Does a step in a transaction and in the model.
    mutating func apply(_ step: Step, to id: String, in transaction: StoreTransaction) throws {
        let bodies = [try body(["n": 1]), try body(["n": 2, "text": "Grüße"])]
        switch step {
        case .put, .putOther:
            let body = bodies[step == .put ? 0 : 1]
            try transaction.put(
                id, body: body, precondition: .none, origin: step == .put ? nil : "remote")
            displace(id)
            live[id] = body
            known.insert(id)
        case .delete:
            guard live[id] != nil else { return }
            try transaction.put(
                id, body: try body([:]), isDeleted: true, precondition: .none, origin: nil)
            displace(id)
            live[id] = nil
        case .purge:
            let isThere = try transaction.purge(id) != nil
            #expect(isThere == known.contains(id))
            displace(id)
            live[id] = nil
            known.remove(id)
        case .hold, .holdByOther, .holdOther:
            let key = HoldModel.Key(holder: step == .holdByOther ? 300 : 1, id: id)
            let body = step == .holdOther ? bodies[1] : live[id] ?? bodies[0]
            count &+= 1
            let note: [UInt8] = [4, count]
            let isHeld = try transaction.hold(body, of: id, by: key.holder, note: note)
            #expect(isHeld == (live[id]?.bytes == body.bytes))
            guard isHeld else { return }
            // As a holder does: it needs the members that were displaced no more.
            try removeDisplaced(key, in: transaction)
            held[key] = Held(note: note, body: body)
        case .end:
            let key = HoldModel.Key(holder: 1, id: id)
            try transaction.endHold(on: id, by: key.holder)
            try removeDisplaced(key, in: transaction)
            held[key] = nil
        case .expire:
            guard live[id] != nil else { return }
            try transaction.setExpiration(Timestamp(microseconds: 9_000_000), of: id)
        case .restore:
            guard var record = try transaction.record(id) else { return }
            record.created = Timestamp(microseconds: 5)
            try transaction.restore(record, of: id)
            displace(id)
        }
    }

    private mutating func displace(_ id: String) {
        for key in held.keys where key.id == id { held[key]?.isDisplaced = true }
    }

    private func removeDisplaced(_ key: Key, in transaction: StoreTransaction) throws {
        guard held[key]?.isDisplaced ?? false else { return }
        let table = try transaction.createTable(named: "side/sync.servers")
        #expect(try table.remove(StoreTables.displacedKey(key.holder, Array(key.id.utf8))))
    }

    /// Compares all that is held with the model.
    func check(_ snapshot: StoreSnapshot, _ comment: Comment) throws {
        let displaced = try snapshot.table(named: "side/sync.servers")
        for (key, expected) in held {
            let hold = try snapshot.hold(on: key.id, by: key.holder)
            if expected.isDisplaced {
                #expect(hold?.note == nil, comment)
                let row = try displaced?.value(
                    for: StoreTables.displacedKey(key.holder, Array(key.id.utf8)))
                #expect(row == expected.note + expected.body.bytes, comment)
            } else {
                #expect(hold?.note == expected.note, comment)
                #expect(hold?.body.bytes == expected.body.bytes, comment)
            }
        }
        #expect(try displaced?.count ?? 0 == held.values.count { $0.isDisplaced }, comment)
        for holder in [1, 300] as [UInt32] {
            var ids: [String] = []
            try snapshot.forEachHold(by: holder) { id, hold in
                ids.append(id)
                #expect(held[Key(holder: holder, id: id)]?.note == hold.note, comment)
                return true
            }
            let expected = held.filter { $0.key.holder == holder && !$0.value.isDisplaced }
            #expect(Set(ids) == Set(expected.keys.map(\.id)), comment)
            var walked: [String] = []
            try snapshot.forEachHeldId(by: holder) {
                walked.append($0)
                return true
            }
            #expect(walked == ids, comment)
        }
    }
}

@Suite struct `Holds on members` {
    private func findings(_ store: Store) throws -> [StoreFinding] {
        let log = CheckLog()
        try store.check(threadCount: 2) { try StoreCheck(log).pieces(of: $0) }
        return log.findings
    }

    @Test func `follow a document through every four steps`() async throws {
        let scratch = try ScratchStore()
        let steps = Step.allCases
        for first in steps {
            try await scratch.store.write { transaction in
                for number in 0..<(steps.count * steps.count * steps.count) {
                    let others = [
                        number % steps.count, number / steps.count % steps.count,
                        number / steps.count / steps.count,
                    ].map { steps[$0] }
                    var model = HoldModel()
                    // All begin with a document that is held.
                    for step in [.put, .hold, first] + others {
                        try model.apply(step, to: "d", in: transaction)
                    }
                    try model.check(transaction, "\(first) \(others)")
                    for step in [.end, .purge] as [Step] {
                        try model.apply(step, to: "d", in: transaction)
                    }
                    // The other holder is done as well.
                    let table = try transaction.createTable(named: "side/sync.servers")
                    _ = try table.remove(StoreTables.displacedKey(300, Array("d".utf8)))
                    #expect(try table.count == 0)
                }
            }
        }
        #expect(try findings(scratch.store) == [])
    }

    @Test(arguments: 1...20) func `are what a naive form says after random steps`(
        seed: Int
    ) async throws {
        let scratch = try ScratchStore()
        let random = SeededGenerator(seed: UInt64(seed))
        var (model, generator) = (HoldModel(), random)
        for _ in 0..<60 {
            (model, generator) = try await scratch.store.write { [model, generator] transaction in
                var (model, generator) = (model, generator)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let id = "d\(Int.random(in: 0..<5, using: &generator))"
                    try model.apply(.random(&generator), to: id, in: transaction)
                }
                return (model, generator)
            }
            try scratch.store.read("test") { snapshot in
                try model.check(snapshot, "\(random)")
            }
            #expect(try findings(scratch.store) == [], "\(random)")
        }
    }

    @Test func `have keys in the order of the sequences`() {
        var before: [UInt8] = []
        for sequence in [0, 1, 255, 256, 65_535, 65_536, 1 << 40, .max] as [UInt64] {
            for holder in [1, 127, 128, .max] as [UInt32] {
                let key = HoldTable.key(sequence, holder)
                let read = HoldTable.parse(key.span)
                #expect(read?.sequence == sequence)
                #expect(read?.holder == holder)
                if holder == 1 {
                    #expect(before.lexicographicallyPrecedes(key))
                    before = key
                }
                for count in key.indices {
                    let short = Array(key[..<count])
                    let isKey = HoldTable.parse(short.span) != nil
                    #expect(!isKey)
                }
            }
        }
        // The sequence has one form.
        let padded: [UInt8] = [2, 0, 1, 1]
        let isKey = HoldTable.parse(padded.span) != nil
        #expect(!isKey)
        #expect(HoldTable.key(300, 1) == [2, 1, 0x2C, 1])
    }
}
