/// Why a `$filter`, `$orderby` or `$select` text was refused, and where.
///
/// The sentence may repeat words of the text, which the sender wrote; it never holds anything of
/// a stored document.
package struct ODataError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what was expected.
    package var message: String
    /// The place in the decoded text, counted in characters from 1; nil when it is no place.
    package var position: Int?

    /// A fault, at a place of the text or of no place.
    package init(message: String, position: Int?) {
        self.message = message
        self.position = position
    }

    package var description: String {
        guard let position else { return message }
        return "\(message) (at character \(position))"
    }
}
