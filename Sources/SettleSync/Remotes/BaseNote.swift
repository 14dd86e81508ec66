import Foundation
import Settle

/// The row of a live base: a note, which says all but the members, and the members.
///
/// As long as the members are the document's, the note alone is stored, with the document
/// (`Transaction.hold`); when the document changes, the database puts the two together.
///
/// Shape (Docs/Formats/Replication.md): layout, flags, version, date, source, attachments, names,
/// members, name; then the members, to the end of the row.
enum BaseNote {
    /// Tells a row of this shape from older ones.
    static let layout: UInt8 = 4
    /// In the place of a query's number: its hash follows.
    private static let unnumbered: UInt8 = 255

    private enum Flag {
        /// Two bits for the form of the version, and two for that of the date.
        static let version: UInt8 = 3
        static let dateShift: UInt8 = 2
        static let nullMayMeanAbsent: UInt8 = 16
        static let attachments: UInt8 = 32
        static let hidden: UInt8 = 64
        static let stamped: UInt8 = 128
    }

    /// The note and the members of a state; nil for one that is not live, or whose members cannot be
    /// those of a document.
    ///
    /// The members are those that a document of the scope has: a type that it adds and that does not
    /// travel is among them.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - scope: The scope of the remote.
    ///   - queries: The numbers of the remote's queries.
    /// - Returns: The note and the members.
    /// - Throws: What the database throws when it cannot be read or written.
    static func row(
        of state: BaseItem, in scope: ReplicationScope, _ queries: QueryNumbers
    ) throws -> (note: [UInt8], members: PackedValue)? {
        guard state.isLive, let form = state.form,
            let packed = form.packable,
            let (own, attachments) = parted(packed, state)
        else { return nil }
        let stamp = scope.stamp(of: own)
        guard let members = stamp == nil ? own : stamp.flatMap({ try? own.merging($0.object) })
        else { return nil }
        let isHidden = !state.unshown.isEmpty || !state.rounded.isEmpty
        var row = try head(
            state.noteVersion, state.updated, source: state.source, queries,
            attachments: attachments,
            flags: (state.nullMayMeanAbsent ? Flag.nullMayMeanAbsent : 0)
                | (isHidden ? Flag.hidden : 0) | (stamp == nil ? 0 : Flag.stamped))
        if isHidden {
            row.write(number: UInt64(state.unshown.count))
            for name in state.unshown.sorted() { row.write(counted: name.utf8) }
            row.write(members: state.rounded)
        }
        if let stamp { row.write(counted: stamp.name.utf8) }
        return (row.bytes, members)
    }

    /// The note of an item that is ready to be stored, for a remote with all documents.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - ready: Its document.
    ///   - source: The hash of the query that shows it.
    ///   - queries: The numbers of the remote's queries.
    /// - Returns: The note that goes with the members of `ready`.
    /// - Throws: What the database throws when it cannot be read or written.
    static func note(
        of item: RemoteItem, _ ready: ReadyDocument, source: UInt64, _ queries: QueryNumbers
    ) throws -> [UInt8] {
        try head(
            ready.note(of: item.version), item.updated, source: source, queries,
            attachments: item.describesNone ? [] : nil,
            flags: item.nullMayMeanAbsent ? Flag.nullMayMeanAbsent : 0
        ).bytes
    }

    /// What a note begins with.
    private static func head(
        _ version: NoteVersion, _ updated: Date?, source: UInt64, _ queries: QueryNumbers,
        attachments: [UInt8]?, flags: UInt8
    ) throws -> RowWriter {
        let date = NoteDate(updated)
        var row = RowWriter(expecting: 40)
        row.write(byte: layout)
        row.write(
            byte: version.stored | date.stored << Flag.dateShift | flags
                | (attachments == nil ? 0 : Flag.attachments))
        version.write(to: &row)
        date.write(to: &row)
        // Also where there is none yet: a page that shows the item then does not make the row longer.
        if source == 0 {
            row.write(byte: 0)
        } else if let number = try queries.number(of: source) {
            row.write(byte: number)
        } else {
            row.write(byte: Self.unnumbered)
            row.write(fixed: source)
        }
        if let attachments { row.write(counted: attachments) }
        return row
    }

    /// Reads a state.
    ///
    /// - Parameters:
    ///   - row: The note, and the members behind it unless `members` are given.
    ///   - members: The members of the document.
    ///   - queries: The numbers of the remote's queries.
    /// - Returns: The state, live.
    /// - Throws: ``DatabaseError`` when the row is damaged or cannot be read.
    static func state(
        from row: inout RowReader, members: PackedValue?, _ queries: QueryNumbers
    ) throws -> BaseItem {
        guard try row.byte() == layout else { throw row.damage }
        let flags = try row.byte()
        var state = BaseItem(
            presence: .live, version: try NoteVersion(flags & Flag.version, from: &row).text)
        state.updated = try NoteDate(flags >> Flag.dateShift & 3, from: &row).date
        state.nullMayMeanAbsent = flags & Flag.nullMayMeanAbsent != 0
        let number = try row.byte()
        if number == Self.unnumbered {
            state.source = try row.fixed()
        } else if number != 0 {
            guard let hash = try queries.hash(of: number) else { throw row.damage }
            state.source = hash
        }
        let attachments = flags & Flag.attachments == 0 ? nil : Array(try row.counted())
        if flags & Flag.hidden != 0 {
            for _ in 0..<(try row.count()) { state.unshown.insert(try row.text()) }
            state.rounded = try row.members()
        }
        let stamp = flags & Flag.stamped == 0 ? nil : try row.text()
        let packed = members ?? PackedValue(stored: Array(row.rest()))
        guard packed.isObject, (try? packed.check()) != nil,
            let own = stamp == nil ? packed : stamp.flatMap({ try? packed.removing([$0]) }),
            let whole = joined(own, attachments)
        else { throw row.damage }
        state.form = .packed(whole)
        return state
    }

    /// Whether two notes that hide no members are of one version of an item, with the same attachments.
    static func isSame(_ note: [UInt8], as other: [UInt8], place: String) throws -> Bool {
        func head(_ note: [UInt8]) throws -> (UInt8, NoteVersion, [UInt8])? {
            var row = RowReader(note, place: place)
            guard try row.byte() == layout else { throw row.damage }
            let flags = try row.byte()
            guard flags & (Flag.hidden | Flag.stamped) == 0 else { return nil }
            let version = try NoteVersion(flags & Flag.version, from: &row)
            _ = try NoteDate(flags >> Flag.dateShift & 3, from: &row)
            if try row.byte() == Self.unnumbered { _ = try row.fixed() }
            let attachments = flags & Flag.attachments == 0 ? [] : Array(try row.counted())
            return (flags & (Flag.nullMayMeanAbsent | Flag.attachments), version, attachments)
        }
        guard let one = try head(note), let other = try head(other) else { return false }
        return one == other
    }

    /// The members that a document has, and the bytes of the description of attachments: none for no
    /// attachments, nil when there is no description.
    private static func parted(
        _ packed: PackedValue, _ state: BaseItem
    ) -> (members: PackedValue, attachments: [UInt8]?)? {
        if let ready = state.ready.value {
            return (ready.body, state.carriesAttachments ? [] : nil)
        }
        guard state.carriesAttachments else { return (packed, nil) }
        guard let description = try? packed.packedMember(AttachmentMember.name),
            let members = try? packed.removing([AttachmentMember.name])
        else { return nil }
        let isEmpty = description.bytes == emptyObject.bytes
        return (members, isEmpty ? [] : description.bytes)
    }

    private static func joined(_ members: PackedValue, _ attachments: [UInt8]?) -> PackedValue? {
        guard let attachments else { return members }
        if attachments.isEmpty { return try? members.merging(AttachmentMember.none) }
        let description = PackedValue(stored: attachments)
        guard (try? description.check()) != nil else { return nil }
        return try? members.merging(.object([(AttachmentMember.name, description)]))
    }

    private static let emptyObject: PackedValue = {
        guard let object = try? PackedValue([:]) else {
            preconditionFailure("An empty object can always be packed.")
        }
        return object
    }()
}
