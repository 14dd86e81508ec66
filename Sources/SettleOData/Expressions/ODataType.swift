/// The types that a `cast` may name.
package enum ODataType: String, Sendable, CaseIterable {
    case boolean = "Edm.Boolean"
    case byte = "Edm.Byte"
    case date = "Edm.Date"
    case dateTimeOffset = "Edm.DateTimeOffset"
    case decimal = "Edm.Decimal"
    case double = "Edm.Double"
    case guid = "Edm.Guid"
    case int16 = "Edm.Int16"
    case int32 = "Edm.Int32"
    case int64 = "Edm.Int64"
    case signedByte = "Edm.SByte"
    case single = "Edm.Single"
    case string = "Edm.String"
    case timeOfDay = "Edm.TimeOfDay"

    /// The type of a name in any case; nil when there is none.
    init?(name: String) {
        let name = name.lowercased()
        guard let type = Self.allCases.first(where: { $0.rawValue.lowercased() == name }) else {
            return nil
        }
        self = type
    }
}
