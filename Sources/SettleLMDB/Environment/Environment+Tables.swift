import SettlePrimitives

extension Environment {
    /// Whether the names of a snapshot differ in number from those whose handles are open.
    ///
    /// Never inside a write of the same thread: it may hold the right to open tables.
    ///
    /// - Parameters:
    ///   - handle: The snapshot.
    ///   - entry: What was found when the read began.
    /// - Returns: Whether tables have to be opened before the snapshot is read.
    /// - Throws: ``LMDBError`` as the engine reports it.
    func needsTableRefresh(
        _ handle: EngineTransaction, _ entry: ReadEntry
    ) throws(LMDBError) -> Bool {
        guard !entry.isInsideWrite else { return false }
        return try handle.size(of: mainSlot).entryCount != entry.namesSeen
    }

    /// Opens handles for all tables that have none in this process and publishes them.
    ///
    /// Handles may only be opened by one transaction at a time, and are known to transactions that
    /// begin later; so it is done here in a short one, before the read that wants them begins.
    func openUnknownTables() throws(LMDBError) {
        let me = ThreadIdentity.current
        let token = try monitor.when { (state) throws(LMDBError) -> UInt64? in
            if state.isClosed { throw closedError("open tables") }
            // Both at once: who opens tables must not wait for a gate, nor the other way round.
            guard !state.isExclusive, !state.isOpeningTables else { return nil }
            state.isOpeningTables = true
            state.tokenLast += 1
            state.active.append(
                .init(
                    token: state.tokenLast, thread: me, name: "open tables", start: .now,
                    transaction: nil))
            return state.tokenLast
        }
        defer {
            leaveRead(token)
            monitor.withLock { $0.isOpeningTables = false }
        }
        let handle = try engine.begin(isReadOnly: true)
        var opened: [Table] = []
        let count: Int
        do throws(LMDBError) {
            count = try handle.size(of: mainSlot).entryCount
            let known = monitor.withLock { $0.tables }
            for name in try names(in: handle) where known[name] == nil {
                if let table = try open(name, in: handle) { opened.append(table) }
            }
        } catch {
            handle.abort()
            for table in opened { slots.free(table) }
            throw error
        }
        try handle.commit()
        monitor.withLock { state in
            for table in opened { state.tables[table.name] = table }
            if !opened.isEmpty { state.tablesGeneration += 1 }
            state.namesSeen = count
        }
    }

    /// The names of all tables in a snapshot, in the order of their bytes.
    func names(in handle: EngineTransaction) throws(LMDBError) -> [String] {
        let cursor = try handle.cursor(in: mainSlot)
        defer { cursor.close() }
        var names: [String] = []
        var entry = try cursor.first()
        while let found = entry {
            if let name = String(validating: found.key, as: UTF8.self) { names.append(name) }
            entry = try cursor.next()
        }
        return names
    }

    /// Opens one table; nil for an entry that is no table, or when there is no slot left.
    private func open(
        _ name: String, in handle: EngineTransaction
    ) throws(LMDBError) -> Table? {
        do throws(LMDBError) {
            return register(name, try handle.openTable(named: name, create: false))
        } catch {
            if error.code == .invalid || error.code == .tablesFull { return nil }
            throw error
        }
    }

    /// Gives a fresh handle its serial.
    func register(_ name: String, _ handle: UInt32) -> Table {
        let serial = OpenEnvironments.shared.nextSerial()
        return Table(name: name, slot: slots.take(handle, serial: serial), serial: serial)
    }

    /// Makes the handles of a committed transaction known to all that begin from now on.
    func publishTables(of transaction: WriteTransaction) {
        guard transaction.holdsTables else { return }
        monitor.withLock { state in
            for table in transaction.dropped.values { state.tables[table.name] = nil }
            for table in transaction.opened.values { state.tables[table.name] = table }
            state.tablesGeneration += 1
            // The number of names has changed; the next read looks once and remembers it.
            state.namesSeen = -1
            state.isOpeningTables = false
        }
    }

    /// Forgets the handles of a transaction that was rolled back: the engine has closed them.
    func forgetTables(of transaction: WriteTransaction) {
        guard transaction.holdsTables else { return }
        for table in transaction.opened.values { slots.free(table) }
        monitor.withLock { state in
            for (name, table) in state.tables where slots.handle(of: table) == nil {
                state.tables[name] = nil
            }
            state.tablesGeneration += 1
            state.namesSeen = -1
            state.isOpeningTables = false
        }
    }
}
