/// What is wrong with something that came over the wire, in a sentence.
///
/// A server answers it with 400; it holds nothing of a document.
package struct TableFault: Error, Sendable, Equatable {
    /// What is wrong, and what to write instead.
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
