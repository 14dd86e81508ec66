import SettleOData
public import SettleSync

/// By what rows are sorted, and in which direction.
public struct ODataOrder: Sendable, Hashable {
    let key: ODataSortKey

    /// The smallest first.
    public static func ascending(_ expression: ODataExpression) -> ODataOrder {
        ODataOrder(key: ODataSortKey(expression: expression.node))
    }

    /// The largest first.
    public static func descending(_ expression: ODataExpression) -> ODataOrder {
        ODataOrder(key: ODataSortKey(expression: expression.node, isDescending: true))
    }

    /// The order as text, not yet encoded for a URL.
    ///
    /// - Parameter version: The version of the language that the server reads.
    /// - Returns: The text.
    /// - Throws: As ``ODataPredicate/text(for:)``.
    public func text(for version: ODataVersion) throws(ReplicationError) -> String {
        do throws(ODataWriteError) {
            return try ODataWriter.text(of: key, for: version.dialect)
        } catch {
            throw ReplicationError(.misconfigured, error.message)
        }
    }
}
