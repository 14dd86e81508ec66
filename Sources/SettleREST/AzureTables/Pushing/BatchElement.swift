import Settle
import SettleSync
import SettleTableProtocol

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
        var members: [String: JSONValue] = [BatchMember.id: .string(operation.id)]
        let verb: BatchVerb
        switch operation.kind {
        case .insert:
            verb = .insert
            members[BatchMember.item] = AzureTablesBackend.item(operation, dialect)
        case .update:
            guard let change = AzureTablesBackend.change(operation, dialect) else { return nil }
            verb = dialect.change == .merge ? .update : .replace
            members[BatchMember.item] = change
        case .delete: verb = .delete
        case .undelete: verb = .undelete
        }
        members[BatchMember.verb] = .string(verb.rawValue)
        if operation.kind != .insert, let version = operation.baseVersion {
            members[BatchMember.version] = .string(version)
        }
        self.index = index
        self.operation = operation
        text = JSONText.text(of: .object(members))
    }

    /// JSON: `{"operations": array}`, made of what is written down already.
    static func body(of batch: [BatchElement]) -> [UInt8] {
        var body = Array("{\"\(BatchMember.operations)\":[".utf8)
        body.reserveCapacity(batch.reduce(32) { $0 + $1.text.count + 1 })
        for (index, element) in batch.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += element.text
        }
        return body + Array("]}".utf8)
    }
}
