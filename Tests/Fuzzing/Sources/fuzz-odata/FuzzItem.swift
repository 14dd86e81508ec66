import SettleDocuments
import SettleOData

/// An item with the columns that a server keeps.
struct FuzzItem: ODataSubject {
    var id: String
    var updatedAt: Instant
    var members: [String: JSONValue]

    func value(at path: [String]) -> ODataValue {
        let value: ODataValue =
            switch path[0] {
            case "id": .string(id)
            case "createdAt", "updatedAt": .instant(updatedAt)
            case "deleted": .bool(false)
            default: members[path[0]].map(ODataValue.init) ?? .null
            }
        return value.value(at: path.dropFirst())
    }

    /// Paths that might have an index; the seeds ask for them.
    static let paths = [
        ["a"], ["b"], ["id"], ["updatedAt"], ["tags"], ["o", "p"], ["l", "a"],
    ]

    /// Values of every kind, at the borders of numbers, days and years.
    static let samples: [FuzzItem] = [
        FuzzItem(id: "", updatedAt: Instant(ticks: .min), members: [:]),
        FuzzItem(
            id: "x", updatedAt: Instant(ticks: 0),
            members: [
                "a": "a", "b": 1, "tags": ["a", "b", .null, ["c"]], "o": ["p": true],
                "l": [["a": "a"], ["a": [1, "b"]]],
            ]),
        FuzzItem(
            id: "e\u{301}", updatedAt: Instant(ticks: .max),
            members: [
                "a": "2021-03-24T00:30:00+01:00", "b": .integer(.min), "tags": [],
                "o": ["p": "07:14:00"], "l": [],
            ]),
        FuzzItem(
            id: "abcdef01-2345-6789-abcd-ef0123456789",
            updatedAt: Instant(microseconds: 1_616_590_244_123_456),
            members: [
                "a": "9999-12-31T23:59:00-23:00", "b": 9.223372036854775807e18,
                "tags": "2021-03-24", "o": ["p": ["q": 1]], "l": ["a": .double(-0.5)],
            ]),
    ]
}
