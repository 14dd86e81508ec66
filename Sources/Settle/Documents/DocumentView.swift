public import Foundation
public import SettleDocuments
import SettlePrimitives
import SettleStorage

/// A document in place, in the database: zero-copy.
///
/// For reading a few members of many documents. A view is good inside the closure it was handed to,
/// and the compiler sees to it. Each accessor touches the member it names, and no other. Names are
/// compared by their UTF-8 bytes.
///
/// ```swift
/// let total = try database.read { snapshot in
///     var total: Int64 = 0
///     try snapshot.forEachView { view in
///         total += try view.integer("amount") ?? 0
///         return true
///     }
///     return total
/// }
/// ```
public struct DocumentView: ~Escapable {
    private let identifier: Span<UInt8>
    private let row: Span<UInt8>
    private let members: PackedView

    /// True for a tombstone.
    public let isDeleted: Bool

    @_lifetime(copy id, copy row)
    init(id: Span<UInt8>, row: Span<UInt8>) throws(StorageError) {
        guard let place = RecordHead.members(of: row) else { throw Self.damaged(id) }
        identifier = id
        self.row = row
        isDeleted = place.isDeleted
        members = PackedView(row.extracting(place.start..<row.count))
    }

    private static func damaged(_ id: Span<UInt8>) -> StorageError {
        let text = String(decoding: id.rest(from: 0), as: UTF8.self)
        return StorageError.corrupted(place: "record of document '\(text)'")
    }

    private var head: RecordHead {
        get throws {
            guard let head = RecordHead(row) else {
                throw DatabaseError(Self.damaged(identifier))
            }
            return head
        }
    }

    /// The identifier.
    public var id: String {
        get throws {
            guard let text = String(validating: identifier.rest(from: 0), as: UTF8.self) else {
                throw DatabaseError(StorageError.corrupted(place: "a key of table 'documents'"))
            }
            return text
        }
    }

    /// The revision, `generation-digest`.
    public var revision: String { get throws { try head.revision.description } }
    /// The sequence of the last change.
    public var sequence: UInt64 { get throws { try head.sequence } }
    /// When the document was first saved here.
    public var createDate: Date { get throws { Date(try head.created) } }
    /// When it was last saved.
    public var lastChange: Date { get throws { Date(try head.changed) } }

    /// The members, in place, as they are stored.
    package var packed: PackedView {
        @_lifetime(copy self) get { members }
    }

    /// The revision, and whether something is attached.
    package func state() throws -> (revision: Revision, hasAttachments: Bool) {
        let head = try head
        return (head.revision, head.hasAttachments)
    }

    /// Looks at all members.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted` when a byte of them is damaged.
    package func check() throws {
        try translating { () throws(PackedError) in try members.check() }
    }

    /// How many bytes are stored for the document, without what is attached.
    package var byteCount: Int { row.count }

    /// The string of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func string(_ name: String) throws -> String? {
        try translating { () throws(PackedError) in try members.string(name) }
    }

    /// The integer of that name; nil when it is absent or something else.
    ///
    /// A double that is a whole number counts.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func integer(_ name: String) throws -> Int64? {
        try translating { () throws(PackedError) in try members.integer(name) }
    }

    /// The number of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func double(_ name: String) throws -> Double? {
        try translating { () throws(PackedError) in try members.double(name) }
    }

    /// The boolean of that name; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func bool(_ name: String) throws -> Bool? {
        try translating { () throws(PackedError) in try members.bool(name) }
    }

    /// The value of that name as a tree; nil when it is absent.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func json(_ name: String) throws -> JSONValue? {
        try translating { () throws(PackedError) in try members.member(name)?.value() }
    }

    /// The string of a member of a member; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func string(at first: String, _ second: String) throws -> String? {
        try translating { () throws(PackedError) in try members.string(at: first, second) }
    }

    /// The integer of a member of a member; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func integer(at first: String, _ second: String) throws -> Int64? {
        try translating { () throws(PackedError) in try members.integer(at: first, second) }
    }

    /// The number of a member of a member; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func double(at first: String, _ second: String) throws -> Double? {
        try translating { () throws(PackedError) in try members.double(at: first, second) }
    }

    /// The boolean of a member of a member; nil when it is absent or something else.
    ///
    /// - Throws: ``DatabaseError`` with `corrupted`.
    public func bool(at first: String, _ second: String) throws -> Bool? {
        try translating { () throws(PackedError) in try members.bool(at: first, second) }
    }

    func translating<Value>(
        _ body: () throws(PackedError) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(PackedError) {
            return try body()
        } catch {
            throw DatabaseError(error, documentId: try? id)
        }
    }
}
