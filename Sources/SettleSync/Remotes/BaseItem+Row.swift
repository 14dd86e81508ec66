import Foundation
import Settle

extension BaseItem {
    /// Rows of layout 1 have no flags but the first four; only those of layout 3 have packed members.
    private static let layouts: ClosedRange<UInt8> = 1...3

    private enum Flag {
        static let members: UInt8 = 1
        static let created: UInt8 = 2
        static let updated: UInt8 = 4
        static let source: UInt8 = 8
        static let nullMayMeanAbsent: UInt8 = 16
        static let unshown: UInt8 = 32
        static let rounded: UInt8 = 64
    }

    func write(to row: inout RowWriter) {
        // Members of which a document could not be made, as they are too large, are kept as text.
        let packed = form?.packable
        row.write(byte: packed == nil ? 2 : 3)
        row.write(byte: presence.stored)
        row.write(
            byte: (form == nil ? 0 : Flag.members) | (updated == nil ? 0 : Flag.updated)
                | (source == 0 ? 0 : Flag.source)
                | (nullMayMeanAbsent ? Flag.nullMayMeanAbsent : 0)
                | (unshown.isEmpty ? 0 : Flag.unshown) | (rounded.isEmpty ? 0 : Flag.rounded))
        row.write(text: version)
        if let updated { row.write(date: updated) }
        if let packed {
            row.write(counted: packed.bytes)
        } else if let members {
            row.write(members: members)
        }
        if source != 0 { row.write(number: source) }
        if !unshown.isEmpty {
            row.write(number: UInt64(unshown.count))
            for name in unshown.sorted() { row.write(counted: name.utf8) }
        }
        if !rounded.isEmpty { row.write(members: rounded) }
    }

    init(from row: inout RowReader) throws {
        let layout = try row.byte()
        guard Self.layouts.contains(layout),
            let presence = ServerPresence(stored: try row.byte())
        else { throw row.damage }
        let flags = try row.byte()
        self.init(presence: presence, version: try row.optionalText())
        // Releases before format 4 of the store wrote when the item was made, and nobody read it.
        if flags & Flag.created != 0 { _ = try row.date() }
        if flags & Flag.updated != 0 { updated = try row.date() }
        if flags & Flag.members != 0 {
            form =
                layout == 3 ? .packed(try row.packedObject()) : .value(.object(try row.members()))
        }
        if flags & Flag.source != 0 { source = try row.number() }
        nullMayMeanAbsent = flags & Flag.nullMayMeanAbsent != 0
        if flags & Flag.unshown != 0 {
            for _ in 0..<(try row.number()) { unshown.insert(try row.text()) }
        }
        if flags & Flag.rounded != 0 { rounded = try row.members() }
    }
}

extension RowWriter {
    /// Seconds since 1970, as the bits of a double.
    mutating func write(date: Date) {
        write(number: date.timeIntervalSince1970.bitPattern)
    }
}

extension RowReader {
    mutating func date() throws -> Date {
        Date(timeIntervalSince1970: Double(bitPattern: try number()))
    }
}

extension ServerPresence {
    fileprivate var stored: UInt8 {
        switch self {
        case .absent: 0
        case .live: 1
        case .deleted: 2
        }
    }

    fileprivate init?(stored: UInt8) {
        guard let presence = Self.allCases.first(where: { $0.stored == stored }) else {
            return nil
        }
        self = presence
    }
}
