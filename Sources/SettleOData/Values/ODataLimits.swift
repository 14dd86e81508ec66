/// The bounds of a text and of its evaluation, so that one request cannot take the server's stack,
/// memory or time.
package struct ODataLimits: Sendable {
    /// The longest text, in bytes of UTF-8.
    package var textBytesMax = 8 * 1024
    /// The deepest nesting: parentheses, function arguments, lambdas, and arithmetic chains.
    package var depthMax = 100
    /// The longest string that `concat` and `replace` may make, in bytes of UTF-8.
    ///
    /// Nested `replace` calls multiply the length of a string, so a short text could otherwise
    /// ask for more memory than there is.
    package var stringBytesMax = 1024 * 1024

    /// How many lambdas may stand inside one another, itself included.
    package var lambdaDepthMax = 3
    /// How many sort keys an order may have.
    package var sortKeyCountMax = 32
    /// How many members a selection may name.
    package var selectedCountMax = 500
    /// How many nodes may be evaluated for one request, over all items, beyond what each item
    /// adds; see ``ODataBudget``.
    package var stepsMax = 2_500_000
    /// How many steps each item of a walk adds to those.
    package var stepsPerItem = 1_000
    /// How many steps there may be in all, however many items there are.
    package var stepsTotalMax = 100_000_000

    /// The limits that a server keeps to.
    package static let standard = ODataLimits()

    /// The standard limits, to be changed one by one.
    package init() {}
}
