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
        let verb: BatchVerb
        var item: [UInt8]?
        switch operation.kind {
        case .insert:
            verb = .insert
            item = OperationBody(operation, dialect).item()
        case .update:
            guard let change = OperationBody(operation, dialect).change() else { return nil }
            verb = dialect.change == .merge ? .update : .replace
            item = change
        case .delete: verb = .delete
        case .undelete: verb = .undelete
        }
        self.index = index
        self.operation = operation
        let version = operation.kind == .insert ? nil : operation.baseVersion
        var text: [UInt8] = []
        text.reserveCapacity((item?.count ?? 0) + operation.id.utf8.count + 96)
        text.append(UInt8(ascii: "{"))
        Self.append(BatchMember.id, operation.id, to: &text)
        if let item {
            text.append(UInt8(ascii: ","))
            Self.append(name: BatchMember.item, to: &text)
            text += item
        }
        text.append(UInt8(ascii: ","))
        Self.append(BatchMember.verb, verb.rawValue, to: &text)
        if let version {
            text.append(UInt8(ascii: ","))
            Self.append(BatchMember.version, version, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        self.text = text
    }

    private static func append(_ name: String, _ value: String, to text: inout [UInt8]) {
        append(name: name, to: &text)
        JSONText.append(value, to: &text)
    }

    private static func append(name: String, to text: inout [UInt8]) {
        JSONText.append(name, to: &text)
        text.append(UInt8(ascii: ":"))
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
