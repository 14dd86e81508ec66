// Comparisons and arithmetic are written with Swift's operators. The left side is an expression;
// the right side may be a plain value.

extension ODataExpression {
    /// Equal.
    public static func == (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.eq, left, right)
    }

    /// Equal to `nil`.
    public static func == (left: ODataExpression, right: ODataNull) -> ODataPredicate {
        compare(.eq, left, right)
    }

    /// Not equal.
    public static func != (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.ne, left, right)
    }

    /// Not equal to `nil`.
    public static func != (left: ODataExpression, right: ODataNull) -> ODataPredicate {
        compare(.ne, left, right)
    }

    /// Greater.
    public static func > (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.gt, left, right)
    }

    /// Greater or equal.
    public static func >= (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.ge, left, right)
    }

    /// Less.
    public static func < (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.lt, left, right)
    }

    /// Less or equal.
    public static func <= (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.le, left, right)
    }

    private static func compare(
        _ comparison: ODataNode.Comparison, _ left: ODataExpression, _ right: some ODataOperand
    ) -> ODataPredicate {
        ODataPredicate(.comparison(comparison, left.node, right.odata.node))
    }
}

extension ODataExpression {
    /// The sum.
    public static func + (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.add, left, right)
    }

    /// The difference.
    public static func - (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.sub, left, right)
    }

    /// The product.
    public static func * (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.mul, left, right)
    }

    /// The quotient; of two whole numbers on most servers a whole number.
    public static func / (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.div, left, right)
    }

    /// The remainder of a division.
    public static func % (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.mod, left, right)
    }

    private static func compute(
        _ arithmetic: ODataNode.Arithmetic, _ left: ODataExpression, _ right: some ODataOperand
    ) -> ODataExpression {
        ODataExpression(.arithmetic(arithmetic, left.node, right.odata.node))
    }
}
