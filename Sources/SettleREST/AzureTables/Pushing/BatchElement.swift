import Settle
import SettleSync

/// An operation as it stands in a batch.
struct BatchElement {
    /// Its place among the operations to be sent.
    let index: Int
    let operation: RemoteOperation
    /// JSON: `{"op": string, "id": string, "version": string, "item": object}`.
    let text: [UInt8]

    /// Writes an operation down; nil when it would be no single request by itself either: one that no
    /// address can carry, or an update of nothing.
    init?(
        _ index: Int, _ operation: RemoteOperation, _ dialect: AzureTablesBackend.Dialect
    ) {
        guard dialect.fault(ofId: operation.id) == nil else { return nil }
        var members: [String: JSONValue] = ["id": .string(operation.id)]
        switch operation.kind {
        case .insert:
            members["op"] = "insert"
            members["item"] = AzureTablesBackend.item(operation, dialect)
        case .update:
            guard let change = AzureTablesBackend.change(operation, dialect) else { return nil }
            members["op"] = dialect.change == .merge ? "update" : "replace"
            members["item"] = change
        case .delete: members["op"] = "delete"
        case .undelete: members["op"] = "undelete"
        }
        if operation.kind != .insert, let version = operation.baseVersion {
            members["version"] = .string(version)
        }
        self.index = index
        self.operation = operation
        text = JSONText.text(of: .object(members))
    }

    /// JSON: `{"operations": array}`, made of what is written down already.
    static func body(of batch: [BatchElement]) -> [UInt8] {
        var body = Array(#"{"operations":["#.utf8)
        body.reserveCapacity(batch.reduce(32) { $0 + $1.text.count + 1 })
        for (index, element) in batch.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += element.text
        }
        return body + Array("]}".utf8)
    }
}
