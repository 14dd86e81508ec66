package import SettleDocuments
import SettleStorage

/// The map of a declared index: finds members in place and copies their bytes.
///
/// No value of a document is decoded, but for what the filter compares.
struct DeclaredMap: Sendable {
    private let keys: [MemberPlace]
    private let value: MemberPlace?
    private let filter: IndexFilter?
    /// Whether a value that is null counts as none.
    private let isNullAbsent: Bool

    init(_ declaration: IndexDeclaration) {
        keys = declaration.keys.map { MemberPlace($0, declaration.identifier) }
        value = declaration.value.map { MemberPlace($0, declaration.identifier) }
        filter = declaration.filter?.comparing(declaration.collation)
        isNullAbsent = declaration.passesOverNull
    }

    /// Emits the row of a stored document, if it has one.
    func callAsFunction(
        _ id: Span<UInt8>, _ record: Span<UInt8>, _ rows: RowCollector
    ) throws {
        guard let place = RecordHead.members(of: record) else {
            let name = String(decoding: (0..<id.count).map { id[$0] }, as: UTF8.self)
            throw IndexError.corrupted(place: "record of document '\(name)'")
        }
        if place.isDeleted { return }
        var packer = rows.lendPacker()
        defer { rows.giveBack(packer) }
        try row(of: record.extracting(place.start..<record.count), id, &packer) { key, value in
            rows.emit(packedKey: key, packedValue: value)
        }
    }

    /// Finds the packed key and value of the row of a document, if it has one.
    ///
    /// - Parameters:
    ///   - body: The packed members.
    ///   - id: The identifier.
    ///   - packer: Empty memory to pack a key of several members in.
    ///   - emit: Called at most once; an empty value is none.
    /// - Throws: `PackedError` when something it touches is damaged.
    @inline(__always)
    func row(
        of body: Span<UInt8>, _ id: Span<UInt8>, _ packer: inout PackedBuilder,
        _ emit: (_ key: Span<UInt8>, _ value: Span<UInt8>) -> Void
    ) throws(PackedError) {
        if let filter, try !filter.matches(body, id: id) { return }
        if keys.count == 1 {
            switch try keys[0].find(in: body) {
            case .absent: return
            case .id:
                let key = try Self.packed(id)
                try addingValue(to: key.span, body, id, emit)
            case .value(let range):
                try addingValue(to: body.extracting(range), body, id, emit)
            }
            return
        }
        if try append(to: &packer, body, id) { try addingValue(to: packer.span, body, id, emit) }
    }

    /// Packs the key of several members.
    ///
    /// - Returns: False when the document has none of them.
    private func append(
        to key: inout PackedBuilder, _ body: Span<UInt8>, _ id: Span<UInt8>
    ) throws(PackedError) -> Bool {
        var hasPart = false
        let start = key.openArray()
        for place in keys {
            switch try place.find(in: body) {
            case .absent: key.appendNull()
            case .id:
                try key.append(utf8: id)
                hasPart = true
            case .value(let range):
                key.append(copying: body, in: range)
                hasPart = true
            }
        }
        try key.closeArray(start)
        return hasPart
    }

    @inline(__always)
    private func addingValue(
        to key: Span<UInt8>, _ body: Span<UInt8>, _ id: Span<UInt8>,
        _ emit: (_ key: Span<UInt8>, _ value: Span<UInt8>) -> Void
    ) throws(PackedError) {
        switch try value?.find(in: body) ?? .absent {
        case .absent: emit(key, body.extracting(0..<0))
        case .id:
            let value = try Self.packed(id)
            emit(key, value.span)
        case .value(let range):
            let isNull = isNullAbsent ? try PackedForm.isNull(body, in: range) : false
            emit(key, body.extracting(isNull ? 0..<0 : range))
        }
    }

    private static func packed(_ id: Span<UInt8>) throws(PackedError) -> [UInt8] {
        var packed = PackedBuilder()
        try packed.append(utf8: id)
        return packed.bytes
    }
}

extension IndexDeclaration {
    /// Whether a value that is null counts as none, because the reduce function needs numbers.
    package var passesOverNull: Bool {
        switch reduce {
        case .sum, .stats, .min, .max: true
        case .count, .approxCountDistinct, nil: false
        }
    }

    /// The map that the declaration stands for.
    ///
    /// One path makes that member the key, and a document without it has no row. Several make an
    /// array, with null for a member that the document lacks; a document that lacks all has no row.
    /// - Returns: The map. It copies bytes where they lie and makes no values; it throws
    ///   `PackedError` or ``IndexError/corrupted(place:)`` when a document is damaged.
    package func makeMap() -> IndexMap {
        let map = DeclaredMap(self)
        return { id, record, rows in try map(id, record, rows) }
    }

    /// The row of a document that is not stored.
    ///
    /// - Parameters:
    ///   - body: The packed members.
    ///   - id: The identifier.
    /// - Returns: The emitted key and value; nil when the document has no row.
    /// - Throws: `PackedError` when the members are damaged.
    package func row(
        of body: PackedValue, id: String
    ) throws(PackedError) -> (key: JSONValue, value: JSONValue?)? {
        var row: (key: PackedValue, value: PackedValue?)?
        let (map, bytes) = (DeclaredMap(self), Array(id.utf8))
        var packer = PackedBuilder()
        try map.row(of: body.bytes.span, bytes.span, &packer) { key, value in
            let packed = PackedView(value).copy()
            row = (PackedView(key).copy(), packed.bytes.isEmpty ? nil : packed)
        }
        guard let row else { return nil }
        return (
            try row.key.value(),
            try row.value.map { value throws(PackedError) in try value.value() }
        )
    }
}
