/// Why a `$filter` or `$orderby` text was refused, and where.
///
/// The sentence may repeat words of the text, which the sender wrote; it never holds anything of
/// a stored document.
struct ODataError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what was expected.
    var message: String
    /// The place in the decoded text, counted in characters from 1; nil when it is no place.
    var position: Int?

    var description: String {
        guard let position else { return message }
        return "\(message) (at character \(position))"
    }
}

/// The bounds of a filter text, so that one request cannot take the server's stack or time.
struct ODataLimits: Sendable {
    /// The longest text, in bytes of UTF-8.
    var textBytesMax = 8 * 1024
    /// The deepest nesting: parentheses, function arguments, lambdas, and arithmetic chains.
    var depthMax = 100
    /// The longest string that `concat` and `replace` may make, in bytes of UTF-8.
    ///
    /// Nested `replace` calls multiply the length of a string, so a short text could otherwise
    /// ask for more memory than there is.
    var stringBytesMax = 1024 * 1024

    /// How many lambdas may stand inside one another, itself included.
    var lambdaDepthMax = 3
    /// How many nodes may be evaluated for one request, over all items, beyond what each item
    /// adds; see ``ODataBudget``.
    var stepsMax = 10_000_000
    /// How many steps each item of a walk adds to those.
    var stepsPerItem = 1_000

    static let standard = ODataLimits()
}
