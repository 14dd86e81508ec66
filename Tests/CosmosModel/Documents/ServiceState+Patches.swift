import SettleDocuments

extension ServiceState {
    mutating func patchDocument(
        _ item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        let resource = try patched(
            item, try exchange.request.json(), in: collection, exchange,
            ifMatch: exchange.request[.ifMatch])
        return written(200, resource, in: collection, exchange)
    }

    /// Stores what the operations of a patch make of a document.
    mutating func patched(
        _ item: StoredResource, _ patch: JSONValue, in collection: UInt64, _ exchange: Exchange,
        ifMatch: String?
    ) throws(ServiceFailure) -> StoredResource {
        guard let operations = patch["operations"]?.arrayValue, !operations.isEmpty,
            operations.count <= JSONPatchOperation.countMax
        else {
            throw .badRequest("A patch has 1 to \(JSONPatchOperation.countMax) operations.")
        }
        if let condition = patch["condition"]?.stringValue {
            let query = try QueryParser.parseCondition(condition)
            let scope = QueryScope(aliases: ["root": item.body], context: QueryContext())
            guard try !QueryRows.rows(of: query, in: scope).isEmpty else {
                throw ServiceFailure(412, "The condition of the patch is not fulfilled.")
            }
        }
        var body = item.body
        for operation in operations { try JSONPatchOperation(operation).apply(to: &body) }
        for name in ["id", "_rid", "_self", "_etag", "_ts"] where body[name] != item.body[name] {
            throw .badRequest("A patch cannot change '\(name)'.")
        }
        guard let definition = collections[collection]?.definition,
            try definition.value(of: body) == item.key
        else { throw .badRequest("A patch cannot change the partition key.") }
        let write = DocumentWrite(
            body: body, size: body.jsonText.utf8.count,
            header: exchange.request[.partitionKey] ?? Self.header(of: item.key),
            exchange: exchange, ifMatch: ifMatch)
        return try replaceDocument(item, write, in: collection)
    }

    /// A key as it is in a header.
    static func header(of key: PartitionKeyValue?) -> String {
        JSONValue.array((key?.components ?? []).map { $0 ?? .object([:]) }).jsonText
    }
}
