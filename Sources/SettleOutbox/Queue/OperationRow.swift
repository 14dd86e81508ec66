import Foundation
import Settle

/// What is stored of one operation.
///
/// Shape (Docs/Formats/Outbox.md): layout, flags, identifier, priority, starts, name, then the lists
/// that the flags announce, then the content.
struct OperationRow: Sendable, Hashable {
    var id: UUID
    var name: String
    var priority: Int32 = 0
    /// True when it may start only after every earlier graph has ended.
    var isStrict: Bool
    var startCount: UInt64 = 0
    var dependencies: Set<UUID> = []
    var documentIds: [String] = []
    var changedFields: [String: FieldChanges] = [:]
    var holds: [String: Date] = [:]
    /// What was noted while it was carried out.
    var notes: [String: JSONValue] = [:]
    /// Why it failed when it was last started and failed.
    var failure: OperationFault?
    /// The stored form of the operation.
    var content: PackedValue

    /// The latest date until which it is held.
    var holdDate: Date? { holds.values.max() }

    private static let layout: UInt8 = 1

    private enum Flag {
        static let strict: UInt8 = 1
        static let dependencies: UInt8 = 2
        static let documents: UInt8 = 4
        static let changes: UInt8 = 8
        static let holds: UInt8 = 16
        static let notes: UInt8 = 32
        static let failure: UInt8 = 64
        static let all = strict | dependencies | documents | changes | holds | notes | failure
    }

    func encoded() -> [UInt8] {
        // Numbers are short; what the flags announce is seldom there.
        var row = RowWriter(
            expecting: 32 + name.utf8.count + content.bytes.count
                + documentIds.reduce(0) { $0 + $1.utf8.count + 2 })
        row.write(byte: Self.layout)
        row.write(
            byte: (isStrict ? Flag.strict : 0) | (dependencies.isEmpty ? 0 : Flag.dependencies)
                | (documentIds.isEmpty ? 0 : Flag.documents)
                | (changedFields.isEmpty ? 0 : Flag.changes) | (holds.isEmpty ? 0 : Flag.holds)
                | (notes.isEmpty ? 0 : Flag.notes) | (failure == nil ? 0 : Flag.failure))
        row.write(bytes: id.bytes)
        row.write(number: UInt64(UInt32(bitPattern: priority)))
        row.write(number: startCount)
        row.write(counted: name.utf8)
        if !dependencies.isEmpty {
            row.write(number: UInt64(dependencies.count))
            for id in dependencies.map(\.bytes).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                row.write(bytes: id)
            }
        }
        if !documentIds.isEmpty {
            row.write(number: UInt64(documentIds.count))
            for id in documentIds { row.write(counted: id.utf8) }
        }
        if !changedFields.isEmpty {
            row.write(number: UInt64(changedFields.count))
            for (id, fields) in changedFields.sorted(by: { $0.key < $1.key }) {
                row.write(counted: id.utf8)
                row.write(members: fields.old)
                row.write(members: fields.new)
            }
        }
        if !holds.isEmpty {
            row.write(number: UInt64(holds.count))
            for (context, date) in holds.sorted(by: { $0.key < $1.key }) {
                row.write(counted: context.utf8)
                row.write(number: OutboxRowKey.microseconds(date))
            }
        }
        if !notes.isEmpty { row.write(members: notes) }
        if let failure {
            row.write(number: OutboxRowKey.microseconds(failure.date))
            row.write(counted: failure.message.utf8)
        }
        row.write(bytes: content.bytes)
        return row.bytes
    }

    init(
        id: UUID, name: String, priority: Int32 = 0, isStrict: Bool, content: PackedValue
    ) {
        self.id = id
        self.name = name
        self.priority = priority
        self.isStrict = isStrict
        self.content = content
    }

    init(decoding bytes: [UInt8], _ key: OperationKey) throws(DatabaseError) {
        var row = RowReader(bytes, place: "operation \(key.number) of the outbox")
        guard try row.byte() == Self.layout else { throw row.damage }
        let flags = try row.byte()
        guard flags & ~Flag.all == 0 else { throw row.damage }
        guard let id = UUID(try row.bytes(16)),
            let priority = UInt32(exactly: try row.number())
        else { throw row.damage }
        self.id = id
        self.priority = Int32(bitPattern: priority)
        isStrict = flags & Flag.strict != 0
        startCount = try row.number()
        name = try row.text()
        if flags & Flag.dependencies != 0 {
            for _ in 0..<(try row.count()) {
                guard let id = UUID(try row.bytes(16)) else { throw row.damage }
                dependencies.insert(id)
            }
        }
        if flags & Flag.documents != 0 {
            for _ in 0..<(try row.count()) { documentIds.append(try row.text()) }
        }
        if flags & Flag.changes != 0 {
            for _ in 0..<(try row.count()) {
                let id = try row.text()
                changedFields[id] = FieldChanges(
                    old: try row.members(), new: try row.members())
            }
        }
        if flags & Flag.holds != 0 {
            for _ in 0..<(try row.count()) {
                let context = try row.text()
                holds[context] = OutboxRowKey.date(try row.number())
            }
        }
        if flags & Flag.notes != 0 { notes = try row.members() }
        if flags & Flag.failure != 0 {
            let date = OutboxRowKey.date(try row.number())
            failure = OperationFault(message: try row.text(), date: date)
        }
        content = PackedValue(stored: Array(row.rest()))
    }
}
