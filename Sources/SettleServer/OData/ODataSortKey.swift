/// One part of an order.
struct ODataSortKey: Sendable, Equatable {
    /// What is compared.
    var expression: ODataExpression
    /// Whether greater values come first.
    var isDescending: Bool
}
