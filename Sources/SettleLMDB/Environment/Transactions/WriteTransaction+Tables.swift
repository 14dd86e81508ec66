import SettlePrimitives

extension WriteTransaction {
    /// Opens a table, and makes it if there is none of the name.
    ///
    /// A table made here is gone again, with its handle, when the transaction is rolled back.
    ///
    /// - Parameter name: 1 to 511 bytes of UTF-8 without NUL.
    /// - Returns: The table.
    /// - Throws: ``LMDBError`` with `keyTooLong` for such a name, `tablesFull`, `readOnly`,
    ///   `readersBusy`, or `tablesChanged`: then the closure is run again.
    package func createTable(named name: String) throws(LMDBError) -> Table {
        requireNotFilling()
        try requireKey([UInt8](name.utf8), "create table")
        precondition(!name.utf8.contains(0), "A table's name must not contain NUL.")
        // Emptied already; it only has to stay.
        if let table = dropped.removeValue(forKey: name) { return table }
        if let table = try table(named: name) { return table }
        if let ghost = environment.monitor.withLock({ $0.tables[name] }) {
            try closeGhost(ghost)
        }
        return try open(name, create: true)
    }

    /// Removes a table with all its entries.
    ///
    /// The commit waits until the reads of this process have ended, because the engine frees the
    /// table's handle; where a table will be filled again, `removeAll` is better.
    ///
    /// - Parameter table: The table; its handle is refused after the commit.
    /// - Throws: ``LMDBError`` as ``put(_:for:in:)``. The commit may throw `readersBusy`.
    package func drop(_ table: Table) throws(LMDBError) {
        try removeAll(from: table)
        dropped[table.name] = table
    }

    /// Finds a table as this transaction sees it; see the method of ``ReadTransaction``.
    func ownTable(named name: String) throws(LMDBError) -> Table? {
        guard dropped[name] == nil else { return nil }
        if let table = opened[name] { return table }
        guard try isPresent(name) else { return nil }
        if let table = usableTable(name) { return table }
        return try open(name, create: false)
    }

    private func open(_ name: String, create: Bool) throws(LMDBError) -> Table {
        guard claimTables() else {
            retry = .tablesChanged
            throw LMDBError(
                code: .tablesChanged, operation: "open table \(name)", path: environment.path,
                message: "Tables were opened by a reader during this transaction; it runs again.")
        }
        let slot = try noting { () throws(LMDBError) in
            try live.openTable(named: name, create: create)
        }
        // A record says what is in tables, not that there is one.
        if create { changes?.giveUp() }
        let table = environment.register(name, slot)
        tails.forget(table.slot)
        opened[name] = table
        return table
    }

    /// Takes the right to open and close handles until the transaction ends.
    ///
    /// - Returns: False when handles were published since it began: then it must not open any,
    ///   because it would use their slots.
    @discardableResult
    func claimTables() -> Bool {
        if holdsTables { return isAloneWithTables }
        isAloneWithTables = environment.monitor.when { state -> Bool? in
            guard !state.isOpeningTables else { return nil }
            state.isOpeningTables = true
            return state.tablesGeneration == self.tablesGeneration
        }
        holdsTables = true
        return isAloneWithTables
    }

    /// Closes the handle of a table that another process has dropped.
    ///
    /// The engine would take it for the table of that name, and every write would fail.
    private func closeGhost(_ ghost: Table) throws(LMDBError) {
        guard claimTables() else { return }
        try environment.withoutReaders("forget a dropped table") { () throws(LMDBError) in
            if let slot = environment.slots.handle(of: ghost) {
                environment.engine.closeTable(slot)
            }
            environment.slots.free(ghost)
            environment.monitor.withLock { $0.tables[ghost.name] = nil }
        }
    }
}
