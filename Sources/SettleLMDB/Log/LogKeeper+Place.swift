import SettlePrimitives

extension LogKeeper {
    /// Refuses a transaction on a data file that was removed, or replaced by another, since it was opened.
    ///
    /// Its commits would be nowhere once the process ends.
    ///
    /// - Parameter engine: The engine.
    /// - Throws: ``LMDBError`` with `panic`, from now on for every transaction.
    /// - Complexity: one look at the open file.
    func requireName(_ engine: EngineEnvironment) throws(LMDBError) {
        let status = FileSystem.status(of: try engine.dataDescriptor())
        if status?.hasName == false { throw stopReplaced() }
    }

    /// Refuses to touch the log in the directory when the data file beside it is not the one that is open.
    ///
    /// That log belongs to the other file then, whatever is in it. To be asked before the log is looked for by its path.
    ///
    /// - Parameter engine: The engine.
    /// - Throws: ``LMDBError`` with `panic`, from now on for every transaction; or as the system reports it.
    /// - Complexity: one look at the open file, and one at the path.
    func requirePlace(_ engine: EngineEnvironment) throws(LMDBError) {
        let own = FileSystem.status(of: try engine.dataDescriptor())?.identity
        let found = try FileSystem.status(directory + "/data.mdb")?.identity
        guard let own, own != found else { return }
        throw stopReplaced()
    }

    /// Ends all writing; nothing is told to other processes, whose file this is not.
    private func stopReplaced() -> LMDBError {
        let failure = LMDBError(
            code: .panic, operation: "write", path: directory,
            message: "data.mdb was removed or replaced while it was open here, so nothing is "
                + "written any more; close the database and open it again.")
        return work.withLock { work in
            if work.failure == nil { work.failure = failure }
            return work.failure ?? failure
        }
    }
}
