public import SettleSync

/// By what rows are sorted, and in which direction.
public struct ODataOrder: Sendable, Hashable {
    let node: ODataNode
    let isDescending: Bool

    /// The smallest first.
    public static func ascending(_ expression: ODataExpression) -> ODataOrder {
        ODataOrder(node: expression.node, isDescending: false)
    }

    /// The largest first.
    public static func descending(_ expression: ODataExpression) -> ODataOrder {
        ODataOrder(node: expression.node, isDescending: true)
    }

    /// The order as text, not yet encoded for a URL.
    ///
    /// - Parameter version: The version of the language that the server reads.
    /// - Returns: The text.
    /// - Throws: As ``ODataPredicate/text(for:)``.
    public func text(for version: ODataVersion) throws(ReplicationError) -> String {
        var writer = ODataWriter(version: version, root: node)
        return try writer.text() + (isDescending ? " desc" : "")
    }
}
