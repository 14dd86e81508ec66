import SettleDocuments
import SettleIndexing

/// Takes the rows that a map over views or typed values emits.
///
/// It is good inside the closure it was handed to, and the compiler sees to it.
public struct IndexRowEmitter: ~Escapable {
    private let rows: RowCollector

    @_lifetime(borrow rows)
    init(_ rows: borrowing RowCollector) {
        self.rows = copy rows
    }

    /// Gives the document a row with a value.
    ///
    /// One part is the key itself; several make an array, with null for a part that is absent. When
    /// all parts are absent, there is no row. Rows with equal keys keep the order of their emission.
    ///
    /// - Parameters:
    ///   - first: The key, or its first part.
    ///   - rest: The further parts.
    ///   - value: What the row holds; an absent value is none.
    /// - Throws: An error when a number is NaN or infinite, or a value nested too deep. Let the
    ///   closure throw it: the document then has no rows, and the error is listed for it.
    public func emit<First: IndexKeyPart, each Part: IndexKeyPart>(
        _ first: First, _ rest: repeat each Part, value: some IndexKeyPart
    ) throws {
        var packer = IndexPacker(lentBy: rows)
        defer { packer.giveBack(to: rows) }
        guard let key = try Self.pack(first, repeat each rest, into: &packer) else { return }
        _ = try value.pack(into: &packer)
        packer.emit(key: key, to: rows)
    }

    /// Gives the document a row without a value; see ``emit(_:_:value:)``.
    public func emit<First: IndexKeyPart, each Part: IndexKeyPart>(
        _ first: First, _ rest: repeat each Part
    ) throws {
        var packer = IndexPacker(lentBy: rows)
        defer { packer.giveBack(to: rows) }
        guard let key = try Self.pack(first, repeat each rest, into: &packer) else { return }
        packer.emit(key: key, to: rows)
    }

    /// Packs a key; answers where it lies, or nil when all its parts are absent.
    @inline(__always)
    private static func pack<First: IndexKeyPart, each Part: IndexKeyPart>(
        _ first: First, _ rest: repeat each Part, into packer: inout IndexPacker
    ) throws -> Range<Int>? {
        let start = packer.openArray()
        let elements = packer.count
        var isAlone = true
        var isPresent = try first.pack(into: &packer)
        if !isPresent { packer.packNull() }
        for part in repeat each rest {
            isAlone = false
            if try part.pack(into: &packer) { isPresent = true } else { packer.packNull() }
        }
        guard isPresent else { return nil }
        if isAlone { return elements..<packer.count }
        try packer.closeArray(start)
        return start..<packer.count
    }
}
