/// One part of an order.
package struct ODataSortKey: Sendable, Hashable {
    /// What is compared.
    package var expression: ODataNode
    /// Whether greater values come first.
    package var isDescending: Bool

    /// A part of an order.
    package init(expression: ODataNode, isDescending: Bool = false) {
        self.expression = expression
        self.isDescending = isDescending
    }
}
