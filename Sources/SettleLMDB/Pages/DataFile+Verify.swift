import SettlePrimitives

extension DataFile {
    /// Walks all pages of the newest commit of a file, without the engine.
    ///
    /// For files that nobody has open, above all for those of others before they are opened: the
    /// engine trusts every byte of a file. Looks at the trees and the list of free pages, not at
    /// what keys and values mean.
    ///
    /// - Parameter path: The data file.
    /// - Returns: What was found; whatever the bytes are, this neither traps nor reads outside.
    /// - Throws: ``LMDBError``: `invalid` for a file that is none of the engine's or is empty,
    ///   `versionMismatch` for another format, or as the system reports it.
    /// - Complexity: reads every page in use once; memory of a bit a page.
    package static func verify(path: String) throws(LMDBError) -> PageReport {
        try reading(path) { (file) throws(LMDBError) in
            do throws(LMDBError) {
                return try file.verify(file.newerMeta())
            } catch {
                guard error.code == .corrupted else { throw error }
                var report = PageReport()
                report.findings = [.init(place: "the first two pages", sentence: error.message)]
                return report
            }
        }
    }

    func verify(
        _ meta: Meta, isCancelled: @escaping () -> Bool = { false }
    ) throws(LMDBError) -> PageReport {
        var walk = PageWalk(self, meta, isCancelled: isCancelled)
        try walk.run()
        return walk.report
    }
}

extension Environment {
    /// Walks all pages of the last commit, while the environment is in use.
    ///
    /// Counts as a read: the pages of its snapshot stay as they are until it ends. Inside another
    /// read of the same thread it traps: it may have to take a newer state, which a read that is
    /// part of another never gets.
    ///
    /// - Parameter isCancelled: Asked before each page; when it answers true the walk ends, and the report is
    ///   of what was looked at.
    /// - Returns: What was found, as ``DataFile/verify(path:)``.
    /// - Throws: ``LMDBError`` as ``read(_:_:)``, or as the system reports it.
    /// - Complexity: reads every page in use once; memory of a bit a page.
    package func verifyPages(
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> PageReport {
        let me = ThreadIdentity.current
        precondition(
            !monitor.withLock { $0.active.contains { $0.thread == me } },
            "The pages were to be verified inside a read of the same database: end the read first.")
        while true {
            let report = try read("verify") { transaction throws -> PageReport? in
                let number = transaction.live.number
                return try DataFile.reading(path + "/data.mdb") {
                    (file) throws(LMDBError) -> PageReport? in
                    // Gone when others have committed twice since the snapshot was taken.
                    guard let meta = try file.meta(ofTransaction: number) else { return nil }
                    return try file.verify(meta, isCancelled: isCancelled)
                }
            }
            if let report { return report }
        }
    }
}
