import SettleDocuments

extension Cosmos {
    /// Members that the service gives, and an app does not write.
    static let systemMembers = ["_attachments", "_etag", "_rid", "_self", "_ts"]
}

extension Cosmos.ResourceBody {
    /// The members that the app has written.
    var ownMembers: [String: JSONValue] {
        json.filter { !Cosmos.systemMembers.contains($0.key) }
    }

    /// Whether both have the same members, but for those that the service gives; numbers are compared by their values.
    func hasSameContent(as other: Cosmos.ResourceBody) -> Bool {
        Self.isEqual(.object(ownMembers), .object(other.ownMembers))
    }

    private static func isEqual(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.object(let one), .object(let other)):
            return one.count == other.count
                && one.allSatisfy { name, value in
                    other[name].map { isEqual(value, $0) } ?? false
                }
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { isEqual($0, $1) }
        default:
            if one == other { return true }
            guard let one = one.doubleValue, let other = other.doubleValue else { return false }
            return one == other
        }
    }
}
