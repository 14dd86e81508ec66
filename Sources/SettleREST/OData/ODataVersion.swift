import SettleOData

/// The two ways in which OData writes conditions.
public enum ODataVersion: Sendable, Hashable {
    /// OData 3: `datetimeoffset'…'`, `substringof(needle,hay)`, no lists.
    case v3
    /// OData 4: `cast(…,Edm.DateTimeOffset)`, `contains(hay,needle)`, `in`.
    case v4

    /// The same for the parser and the writer of OData.
    var dialect: ODataDialect {
        switch self {
        case .v3: .version3
        case .v4: .version4
        }
    }
}
