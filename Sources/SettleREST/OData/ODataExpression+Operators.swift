import SettleOData

// Comparisons and arithmetic are written with Swift's operators. The left side is an expression;
// the right side may be a plain value.

extension ODataExpression {
    /// Equal.
    public static func == (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.equal, left, right)
    }

    /// Equal to `nil`.
    public static func == (left: ODataExpression, right: ODataNull) -> ODataPredicate {
        compare(.equal, left, right)
    }

    /// Not equal.
    public static func != (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.notEqual, left, right)
    }

    /// Not equal to `nil`.
    public static func != (left: ODataExpression, right: ODataNull) -> ODataPredicate {
        compare(.notEqual, left, right)
    }

    /// Greater.
    public static func > (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.greater, left, right)
    }

    /// Greater or equal.
    public static func >= (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.greaterOrEqual, left, right)
    }

    /// Less.
    public static func < (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.less, left, right)
    }

    /// Less or equal.
    public static func <= (left: ODataExpression, right: some ODataOperand) -> ODataPredicate {
        compare(.lessOrEqual, left, right)
    }

    private static func compare(
        _ comparison: ODataNode.Comparison, _ left: ODataExpression, _ right: some ODataOperand
    ) -> ODataPredicate {
        ODataPredicate(.comparing(comparison, left.node, right.odata.node))
    }
}

extension ODataExpression {
    /// The sum.
    public static func + (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.add, left, right)
    }

    /// The difference.
    public static func - (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.subtract, left, right)
    }

    /// The product.
    public static func * (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.multiply, left, right)
    }

    /// The quotient; of two whole numbers on most servers a whole number.
    public static func / (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.divide, left, right)
    }

    /// The remainder of a division.
    public static func % (left: ODataExpression, right: some ODataOperand) -> ODataExpression {
        compute(.remainder, left, right)
    }

    private static func compute(
        _ arithmetic: ODataNode.Arithmetic, _ left: ODataExpression, _ right: some ODataOperand
    ) -> ODataExpression {
        ODataExpression(.arithmetic(arithmetic, left.node, right.odata.node))
    }
}
