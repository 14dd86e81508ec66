import SettleLMDB

extension Store {
    /// Follows every page of the file, without the engine, and says what is not as it must be.
    ///
    /// Must not be called inside a read: when others commit meanwhile, it takes a newer state.
    ///
    /// - Parameter isCancelled: Asked before each page; true ends the walk.
    /// - Returns: The findings, and whether the engine may walk the tables all the same. Pages that
    ///   nothing refers to are a finding that does no harm; the engine trusts all others, and a
    ///   process that lets it read damaged ones may be killed.
    /// - Throws: ``StorageError`` when the file cannot be read at all; `CancellationError`.
    package func checkPages(
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> (findings: [StoreFinding], isSound: Bool) {
        try StorageError.translating {
            let report = try environment.verifyPages(isCancelled: isCancelled)
            if isCancelled() { throw CancellationError() }
            var findings = report.findings.map { StoreFinding($0.place, $0.sentence) }
            if report.pagesLeaked > 0 {
                findings.append(
                    StoreFinding(
                        "file",
                        "\(report.pagesLeaked) pages are neither in use nor free; the space comes "
                            + "back when the database is compacted."))
            }
            return (findings, report.findings.isEmpty)
        }
    }
}
