/// One part of an order.
package struct ODataSortKey: Sendable, Equatable {
    /// What is compared.
    package var expression: ODataExpression
    /// Whether greater values come first.
    package var isDescending: Bool

    /// A part of an order.
    package init(expression: ODataExpression, isDescending: Bool = false) {
        self.expression = expression
        self.isDescending = isDescending
    }
}
