/// Something in a store that is not as it must be.
package struct StoreFinding: Sendable, Equatable {
    /// Where: the table, and the document or row where it is known.
    package let place: String
    /// What is wrong; a sentence.
    package let problem: String

    /// Describes a finding.
    package init(_ place: String, _ problem: String) {
        self.place = place
        self.problem = problem
    }
}
