public import SettleDocuments

extension Cosmos {
    /// One change of a member of a document, which the service makes without sending the document.
    ///
    /// Paths are those of JSON Pointer: `/address/city`, `/tags/0`, `/tags/-` for the end of an array.
    ///
    /// > Source: "Partial document update" in the documentation of Cosmos DB.
    public enum PatchOperation: Sendable, Hashable {
        /// Adds a member, or an element of an array; a member that is there is replaced.
        case add(path: String, value: JSONValue)
        /// Sets a member or an element.
        case set(path: String, value: JSONValue)
        /// Replaces a member that is there.
        case replace(path: String, value: JSONValue)
        /// Removes a member or an element that is there.
        case remove(path: String)
        /// Adds to a number; one that is not there counts as 0.
        case increment(path: String, by: Double)
        /// Moves a member to another path.
        case move(from: String, to: String)

        var json: JSONValue {
            switch self {
            case .add(let path, let value): ["op": "add", "path": .string(path), "value": value]
            case .set(let path, let value): ["op": "set", "path": .string(path), "value": value]
            case .replace(let path, let value):
                ["op": "replace", "path": .string(path), "value": value]
            case .remove(let path): ["op": "remove", "path": .string(path)]
            case .increment(let path, let amount):
                [
                    "op": "incr", "path": .string(path),
                    "value": Int64(exactly: amount).map { .integer($0) } ?? .double(amount),
                ]
            case .move(let from, let to):
                ["op": "move", "from": .string(from), "path": .string(to)]
            }
        }

        /// The most operations of one patch.
        static let countMax = 10

        /// The body of a patch.
        ///
        /// - Throws: ``ClientError`` with `resourceRequestError` for none, and for more than 10.
        static func body(
            of operations: [PatchOperation], where condition: String?
        ) throws(ClientError) -> JSONValue {
            guard (1...countMax).contains(operations.count) else {
                throw ClientError(
                    .resourceRequestError,
                    "Nothing was sent: a patch has 1 to \(countMax) operations, and this one has "
                        + "\(operations.count).")
            }
            var body: JSONValue = ["operations": .array(operations.map(\.json))]
            body["condition"] = condition.map { .string($0) }
            return body
        }
    }
}
