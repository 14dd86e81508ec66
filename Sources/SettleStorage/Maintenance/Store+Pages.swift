import SettleLMDB

extension Store {
    /// Follows every page of the file, without the engine, and says what is not as it must be.
    ///
    /// - Returns: The findings; a page that nothing refers to any more is one.
    /// - Throws: ``StorageError`` when the file cannot be read at all.
    package func pageFindings() throws -> [StoreFinding] {
        try StorageError.translating {
            let report = try environment.verifyPages()
            var findings = report.findings.map { StoreFinding($0.place, $0.sentence) }
            if report.pagesLeaked > 0 {
                findings.append(
                    StoreFinding(
                        "file",
                        "\(report.pagesLeaked) pages are neither in use nor free; the space comes "
                            + "back with an export and an import."))
            }
            return findings
        }
    }
}
