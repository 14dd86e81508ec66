package import SettleDocuments

/// Collects the rows that a map emits for many documents, and gives them back sorted.
///
/// Documents come in ascending order of their ids: `begin`, any number of `emit`, then
/// `endDocument` or `discardDocument`. Equal keys are kept once, and each distinct key is encoded
/// for collation once, so that ICU has little to do when many rows share few keys. Rows lie in a few
/// large arrays; none has an array or an object of its own.
///
/// Not `Sendable`: one a worker. What it makes, a ``SortedRun``, is a value that can go anywhere.
package final class RowCollector {
    /// Documents ended since the collector was last empty, those without rows as well.
    package private(set) var documentCount = 0

    private let encoder: KeyEncoder
    private var collected = CollectedRows()
    private var isOpen = false
    private var damage: PackedError?
    /// Where a new key's collation key is made.
    private var newKey: [UInt8] = []
    /// Memory that is lent out to pack rows in.
    private var packer = PackedBuilder()

    /// An empty collector for an index with that collation.
    package init(_ strings: Collator.Strings) {
        encoder = KeyEncoder(strings)
    }

    /// How many rows have been emitted, those of a document not yet ended as well.
    package var rowCount: Int { collected.rows.count }

    /// The bytes of memory that what was collected takes, roughly.
    ///
    /// Room kept for later is not in it, so it falls when a run is made: to what the keys kept for
    /// the next documents take, at most about half a mebibyte. Making a run takes about as much
    /// again for a moment, and the run itself.
    package var byteCount: Int { collected.byteCount }

    // MARK: Collecting

    /// Begins a document.
    ///
    /// - Precondition: None is open, and the id comes after that of every document with rows so far.
    package func begin(document id: Span<UInt8>) {
        precondition(!isOpen, "A document begins before the one before it has ended.")
        isOpen = true
        collected.addDocument(id)
    }

    /// Adds a row to the open document.
    ///
    /// The bytes are copied. A damaged key is reported by `endDocument`. The value's bytes are not
    /// looked at.
    /// Cost: a look into a hash table; for a key not seen lately also its collation key.
    /// - Parameters:
    ///   - packedKey: The emitted key, packed.
    ///   - packedValue: The emitted value, packed; empty for none.
    /// - Precondition: A document is open.
    package func emit(packedKey: Span<UInt8>, packedValue: Span<UInt8>) {
        precondition(isOpen, "A row is emitted while no document is open.")
        if collected.addRow(packedKey: packedKey, packedValue: packedValue) { return }
        emit(newKey: packedKey, packedValue: packedValue)
    }

    @inline(never)
    private func emit(newKey packedKey: Span<UInt8>, packedValue: Span<UInt8>) {
        newKey.removeAll(keepingCapacity: true)
        do {
            try encoder.append(packed: packedKey, to: &newKey)
        } catch {
            damage = damage ?? error
            return
        }
        let collationKey = newKey
        collected.addRow(
            packedKey: packedKey, collationKey: collationKey.span, packedValue: packedValue)
    }

    /// Adds a row to the open document.
    ///
    /// - Parameters:
    ///   - key: The emitted key.
    ///   - value: The emitted value; nil for none, which is not null.
    /// - Throws: `PackedError` when a number is not finite or a limit is passed; the row is not added.
    /// - Precondition: A document is open.
    package func emit(key: JSONValue, value: JSONValue?) throws(PackedError) {
        let packedKey = try PackedValue(key).bytes
        guard let value else {
            return emit(packedKey: packedKey.span, packedValue: [UInt8]().span)
        }
        let packedValue = try PackedValue(value).bytes
        emit(packedKey: packedKey.span, packedValue: packedValue.span)
    }

    /// Lends memory in which a map packs keys and values, empty.
    ///
    /// For ``giveBack(_:)``, so that not every row asks for memory of its own. Until then others who
    /// ask get new memory, as they do when it is never given back.
    package func lendPacker() -> PackedBuilder {
        var lent = PackedBuilder()
        swap(&lent, &packer)
        lent.reset()
        return lent
    }

    /// Takes back what ``lendPacker()`` gave.
    package func giveBack(_ lent: consuming PackedBuilder) {
        packer = lent
    }

    /// Ends the open document.
    ///
    /// - Throws: ``IndexError/tooManyRows(documentID:countMax:)`` when it has more than 65,536 rows
    ///   with one key, ``IndexError/corrupted(place:)`` when a packed key was damaged. It is discarded
    ///   then.
    package func endDocument() throws(IndexError) {
        precondition(isOpen, "A document ends that has not begun.")
        let countMax = IndexRowKey.numberCountMax
        if damage != nil {
            let id = snapshot().lastID
            discardDocument()
            throw .corrupted(place: "the stored form of document \"\(id)\"")
        }
        let count = collected.lastRowCount
        if count > countMax, snapshot().lastRowCountOfOneKey > countMax {
            let id = snapshot().lastID
            discardDocument()
            throw .tooManyRows(documentID: id, countMax: countMax)
        }
        if count == 0 { collected.removeLastDocument() }
        isOpen = false
        documentCount += 1
    }

    /// Forgets the open document and what it emitted, as if it had not begun.
    ///
    /// - Precondition: A document is open.
    package func discardDocument() {
        precondition(isOpen, "A document is discarded that has not begun.")
        collected.removeLastDocument()
        damage = nil
        isOpen = false
    }

    // MARK: Giving back

    /// Walks the back pointers of all documents that have rows, ascending by id.
    ///
    /// - Parameter body: Gets the id, the packed key of the first row, and the packed keys of the
    ///   others, each counted, in the order of the emits. The spans are valid during the call.
    /// - Throws: What `body` throws.
    /// - Precondition: No document is open. Once a run is made, there are no pointers left.
    package func forEachPointer(
        _ body: (_ id: Span<UInt8>, _ head: Span<UInt8>, _ tail: Span<UInt8>) throws -> Void
    ) rethrows {
        precondition(!isOpen, "Pointers are asked for while a document is open.")
        try snapshot().forEachPointer(body)
    }

    /// The back pointers that `forEachPointer` walks, as a run; the collector stays as it is.
    ///
    /// - Precondition: No document is open. Once a run is made, there are no pointers left.
    package func makePointerRun() -> SortedRun {
        precondition(!isOpen, "Pointers are asked for while a document is open.")
        return snapshot().pointerRun()
    }

    /// Sorts the rows by row key and gives them away; the collector is empty then, ready for reuse.
    ///
    /// Cost: O(rows + bytes of the distinct keys).
    /// - Precondition: No document is open.
    package func makeRun() -> SortedRun {
        precondition(!isOpen, "A run is made while a document is open.")
        defer { removeAll() }
        return snapshot().sortedRun()
    }

    /// The rows and the back pointer of the one document collected; the collector is empty then.
    ///
    /// For a change of a few documents, one after another. Keys seen lately stay known, so this does
    /// not begin from nothing for each document.
    /// - Returns: The rows ascending by row key, each row key once; no pointer when there are none.
    /// - Precondition: At most one document has ended since the collector was empty; none is open.
    package func rowsOfSoleDocument() -> (rows: [TreeEntry], pointer: TreeEntry?) {
        precondition(!isOpen && documentCount <= 1, "There is more than one document.")
        defer { removeAll() }
        return snapshot().soleDocument()
    }

    /// What is held, to be looked at at length.
    ///
    /// The collector itself is then not being accessed, which lets the compiler see that no two
    /// accesses of it overlap, rather than look at run time for every row.
    private func snapshot() -> CollectedRows { collected }

    private func removeAll() {
        collected.removeAll()
        documentCount = 0
    }
}
