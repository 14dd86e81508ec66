/// Why JSON is no declaration of an index, or no filter.
package struct IndexDeclarationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the mistake lies: the names of the members that lead there.
    package let path: [String]

    /// What is wrong there and what is expected; a phrase that continues the path.
    package let problem: String

    /// A mistake.
    package init(at path: [String], _ problem: String) {
        self.path = path
        self.problem = problem
    }

    /// A sentence that names the member and says what is expected there.
    ///
    /// - Parameter subject: What the JSON should be, such as "index filter".
    /// - Returns: The sentence.
    package func sentence(about subject: String) -> String {
        if path.isEmpty { return "The \(subject) \(problem)." }
        let names = path.map { "'\($0)'" }.joined(separator: ", ")
        return "The member \(names) of the \(subject) \(problem)."
    }

    /// The sentence about an index declaration.
    package var description: String { sentence(about: "index declaration") }
}
