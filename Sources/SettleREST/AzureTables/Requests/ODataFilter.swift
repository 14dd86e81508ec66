import SettleOData
import SettleSync

/// The conditions that a back-end itself sends.
enum ODataFilter {
    /// A column that is in some relation to a string.
    static func text(
        column: String, _ comparison: ODataNode.Comparison, _ value: String
    ) -> ODataNode {
        .comparison(comparison, .path([column]), .literal(.string(value)))
    }

    /// A column that is in some relation to a point in time, written as the server wrote it.
    static func time(
        column: String, _ comparison: ODataNode.Comparison, _ value: RowTime
    ) -> ODataNode {
        .comparison(comparison, .path([column]), .spelled(.received(value.text)))
    }

    /// A column that is an array with at least one of these strings in it.
    static func containsAny(column: String, _ values: [String]) -> ODataNode {
        let element = "c"
        return .any(
            .path([column]), variable: element,
            condition: .disjunction(
                values.map {
                    .comparison(.equal, .variable(element, []), .literal(.string($0)))
                }))
    }
}

extension ODataNode {
    /// The condition as text, before it is encoded for a URL.
    ///
    /// - Throws: As ``ODataPredicate/text(for:)``.
    func text(for version: ODataVersion) throws(ReplicationError) -> String {
        do throws(ODataWriteError) {
            return try ODataWriter.text(of: self, for: version.dialect)
        } catch {
            throw ReplicationError(.misconfigured, error.message)
        }
    }
}
