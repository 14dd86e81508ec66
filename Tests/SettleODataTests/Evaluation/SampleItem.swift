import SettleDocuments

@testable import SettleOData

/// An item with the columns that a server keeps, as filters see it.
struct SampleItem: ODataSubject, Sendable {
    var members: [String: JSONValue]
    var id = "x"
    var createdAt = Instant(ticks: 0)
    var updatedAt = Instant(ticks: 0)

    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    func value(at path: [String]) -> ODataValue {
        let value: ODataValue =
            switch path[0] {
            case "id": .string(id)
            case "createdAt": .instant(createdAt)
            case "updatedAt": .instant(updatedAt)
            case "version": .string("v")
            case "deleted": .bool(false)
            default: members[path[0]].map(ODataValue.init) ?? .null
            }
        return value.value(at: path.dropFirst())
    }
}
