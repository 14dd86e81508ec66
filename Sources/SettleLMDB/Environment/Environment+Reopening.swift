import SettlePrimitives

extension Environment {
    /// Closes the engine and opens it again, with all tables' handles as they were.
    ///
    /// To be called inside `withoutReaders`, with no write transaction. Every ``Table`` stays
    /// valid, but for those of tables that are gone from the file.
    ///
    /// - Parameters:
    ///   - mapSize: Bytes of the new map.
    ///   - exchange: What happens to the files while the engine is closed.
    /// - Throws: What `exchange` throws, the engine being open again; or ``LMDBError`` of opening
    ///   it: then the environment is closed.
    func reopenEngine(
        mapSize: Int, _ exchange: () throws(LMDBError) -> Void
    ) throws(LMDBError) {
        let idle = monitor.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for transaction in idle { transaction.abort() }
        log?.releasePins(engine)
        holder.closeEngine()
        var failure: LMDBError?
        do throws(LMDBError) {
            try exchange()
        } catch {
            failure = error
        }
        do throws(LMDBError) {
            let engine = try EngineEnvironment.create(path: path)
            do throws(LMDBError) {
                try engine.configure(
                    readersMax: options.readersMax, tablesMax: options.tablesMax,
                    mapSize: mapSize)
                try engine.open(
                    isReadOnly: options.isReadOnly, isWithoutLocks: isWithoutLocks,
                    durability: options.durability)
                try reopenTables(engine)
            } catch {
                engine.close()
                throw error
            }
            holder.install(engine)
        } catch {
            // Nothing is there to look at: from now on every call must throw.
            holder.close()
            monitor.withLock { $0.isClosed = true }
            throw error.closing
        }
        if let failure { throw failure }
    }

    private func reopenTables(_ engine: EngineEnvironment) throws(LMDBError) {
        let tables = monitor.withLock { $0.tables.values.sorted { $0.slot < $1.slot } }
        var gone: [Table] = []
        let handle = try engine.beginFirstRead()
        do throws(LMDBError) {
            let main = try handle.openTable(named: nil, create: false)
            precondition(main == mainSlot, "The table of names has another handle.")
            for table in tables {
                do throws(LMDBError) {
                    slots.move(table, to: try handle.openTable(named: table.name, create: false))
                } catch {
                    guard error.code == .notFound else { throw error }
                    gone.append(table)
                }
            }
        } catch {
            handle.abort()
            throw error
        }
        try handle.commit()
        for table in gone { slots.free(table) }
        monitor.withLock { state in
            for table in gone { state.tables[table.name] = nil }
            state.tablesGeneration += 1
            state.namesSeen = -1
        }
    }
}
