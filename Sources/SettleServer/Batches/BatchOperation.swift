import Foundation
import HTTPTypes
import Settle
import SettleTableProtocol

/// One operation of a batch, taken apart and checked.
///
/// Shape: `{"op": "insert" | "update" | "replace" | "delete" | "undelete", "id": string, "version":
/// string, "item": object}`; `id` is the item's and may be left out of an insert, `version` is what
/// `If-Match` would say, `item` is for the first three.
struct BatchOperation: Sendable {
    let kind: BatchVerb
    let write: ItemWrite

    /// Reads one element of a batch.
    ///
    /// - Throws: ``Problem`` 400 saying what is wrong with it.
    init(_ element: PackedValue, in dialect: TableDialect) throws(Problem) {
        guard element.isObject, let name = element.leaf(BatchMember.verb)?.stringValue,
            let kind = BatchVerb(rawValue: name)
        else {
            throw Problem(
                .badRequest,
                "An operation is an object whose 'op' is one of "
                    + BatchVerb.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        self.kind = kind
        let pathId = try Self.string(element.leaf(BatchMember.id), BatchMember.id)
        let version = try Self.string(element.leaf(BatchMember.version), BatchMember.version)
        guard version?.isEmpty != true else {
            throw Problem(.badRequest, "The member 'version' is empty; leave it out.")
        }
        var body: ItemBody?
        if let purpose = kind.purpose {
            guard let item = element.part(BatchMember.item) else {
                throw Problem(.badRequest, "The operation '\(name)' needs an 'item'.")
            }
            body = try ItemBody(item, for: purpose, in: dialect)
        }
        if let pathId, let bodyId = body?.id, !pathId.utf8.elementsEqual(bodyId.utf8) {
            throw Problem(.badRequest, "The id of the operation and that of its item differ.")
        }
        let given = pathId ?? body?.id
        guard let id = given ?? (kind == .insert ? UUID().uuidString.lowercased() : nil) else {
            throw Problem(.badRequest, "The operation '\(name)' needs an 'id'.")
        }
        try ItemIdentifier.check(id)
        write = ItemWrite(
            operation: kind.operation(with: body), id: id,
            expectation: version.map { .version($0) } ?? .none)
    }

    private static func string(_ json: JSONValue?, _ name: String) throws(Problem) -> String? {
        switch json {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw Problem(.badRequest, "The member '\(name)' must be a string.")
        }
    }
}
