/// What a walk over all pages of a data file has found.
package struct PageReport: Sendable, Equatable {
    /// Something that is not as the format wants it.
    package struct Finding: Sendable, Equatable, CustomStringConvertible {
        /// Where: a page, and the table it belongs to.
        package let place: String
        /// What, as a sentence.
        package let sentence: String

        /// Place and sentence.
        package var description: String { "\(place): \(sentence)" }
    }

    /// What is wrong, in the order it was met; the walk ends after so many that more say nothing.
    package internal(set) var findings: [Finding] = []
    /// Number of the transaction whose pages were walked.
    package internal(set) var transaction: UInt64 = 0
    /// Pages of the file up to the last one used.
    package internal(set) var pagesTotal = 0
    /// Of these, the two first ones and all that trees lead to.
    package internal(set) var pagesReachable = 0
    /// Of these, pages listed as free to be used again.
    package internal(set) var pagesFree = 0
    /// Of these, pages neither reachable nor free: harmless, lost until a compaction.
    ///
    /// Means nothing when there are findings.
    package internal(set) var pagesLeaked = 0

    /// Whether nothing is wrong.
    package var isClean: Bool { findings.isEmpty }
}
