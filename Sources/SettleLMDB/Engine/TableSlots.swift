/// The engine's handle of each table, by the slot that a ``Table`` carries.
///
/// A slot is ours and stays with its table when the file is exchanged by a compaction and the
/// engine, opened anew, gives the table another handle. Zero as a serial marks a free slot.
///
/// Written only by the thread that opens or closes a table's handle, before anybody has a `Table`
/// of it or while no other transaction is active; that makes reading without a lock safe.
final class TableSlots: @unchecked Sendable {
    private struct Entry {
        var serial: UInt64 = 0
        var handle: UInt32 = 0
    }

    private let entries: UnsafeMutableBufferPointer<Entry>

    init(capacity: Int) {
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry())
    }

    deinit {
        entries.deallocate()
    }

    /// The engine's handle, or nil when the table's slot is free or another one's by now.
    func handle(of table: Table) -> UInt32? {
        guard Int(table.slot) < entries.count, entries[Int(table.slot)].serial == table.serial
        else { return nil }
        return entries[Int(table.slot)].handle
    }

    /// Gives a slot to a table whose handle was just opened.
    func take(_ handle: UInt32, serial: UInt64) -> UInt32 {
        guard let free = entries.firstIndex(where: { $0.serial == 0 }) else {
            preconditionFailure("The engine has opened more tables than tablesMax.")
        }
        entries[free] = Entry(serial: serial, handle: handle)
        return UInt32(free)
    }

    /// Notes the handle that a table has since the engine was opened anew.
    func move(_ table: Table, to handle: UInt32) {
        precondition(entries[Int(table.slot)].serial == table.serial, "The slot is not its own.")
        entries[Int(table.slot)].handle = handle
    }

    /// Frees a table's slot; every later use of the table is refused.
    func free(_ table: Table) {
        guard handle(of: table) != nil else { return }
        entries[Int(table.slot)] = Entry()
    }
}
