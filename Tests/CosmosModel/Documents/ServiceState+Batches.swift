import SettleDocuments

/// Many operations in one request.
extension ServiceState {
    /// The most operations of a batch.
    private static let batchCountMax = 100

    mutating func batch(
        in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let operations = try exchange.request.json().arrayValue, !operations.isEmpty else {
            throw .badRequest("The body of a batch is an array of operations.")
        }
        guard operations.count <= Self.batchCountMax else {
            throw .badRequest("A batch has at most \(Self.batchCountMax) operations.")
        }
        guard exchange.request.body.count <= Self.documentSizeMax else {
            throw ServiceFailure(413, "A batch has at most \(Self.documentSizeMax) bytes.")
        }
        guard let definition = collections[collection]?.definition else {
            throw .notFound("collection")
        }
        let isAtomic = exchange.request[.isBatchAtomic]?.lowercased() != "false"
        if isAtomic { _ = try definition.value(ofHeader: exchange.request[.partitionKey]) }
        let before = self
        var results: [JSONValue] = []
        var failed: Int?
        for operation in operations {
            do throws(ServiceFailure) {
                results.append(try carryOut(operation, in: collection, exchange))
            } catch {
                failed = results.count
                results.append(Self.result(of: error))
                if isAtomic { break }
                if !exchange.request.isTrue(.batchContinuesOnError) { break }
            }
        }
        if let failed, isAtomic {
            self = before
            let dependent = Self.result(of: ServiceFailure(424, ""))
            results = operations.indices.map { $0 == failed ? results[$0] : dependent }
        }
        var response = ServiceResponse(status: failed == nil ? 200 : 207, json: .array(results))
        response[.requestCharge] = "\(5 * operations.count).24"
        addBatchSession(in: collection, exchange, to: &response)
        return response
    }

    private func addBatchSession(
        in collection: UInt64, _ exchange: Exchange, to response: inout ServiceResponse
    ) {
        guard let state = collections[collection] else { return }
        var range = state.ranges[0]
        if let key = try? state.definition.value(ofHeader: exchange.request[.partitionKey]) {
            range = state.range(of: EffectiveKey.text(of: key, in: state.definition))
        }
        response[.sessionToken] = "\(range.id):-1#\(state.sequence)"
        response[.partitionKeyRangeID] = range.id
    }

    private mutating func carryOut(
        _ operation: JSONValue, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> JSONValue {
        guard let definition = collections[collection]?.definition else {
            throw .notFound("collection")
        }
        let verb = operation["operationType"]?.stringValue ?? ""
        let header = operation["partitionKey"]?.stringValue ?? exchange.request[.partitionKey]
        let key = try definition.value(ofHeader: header)
        let body = operation["resourceBody"] ?? .null
        let ifMatch = operation["ifMatch"]?.stringValue
        let write = DocumentWrite(
            body: body, size: body.jsonText.utf8.count, header: header, exchange: exchange,
            ifMatch: ifMatch)
        if verb == "Create" {
            return Self.result(201, try createDocument(write, in: collection))
        }
        if verb == "Upsert" {
            let (status, resource) = try upsert(write, in: collection)
            return Self.result(status, resource)
        }
        let id = operation["id"]?.stringValue ?? body["id"]?.stringValue ?? ""
        guard let item = document(id, key, in: collection),
            !isExpired(item, at: exchange.timestamp)
        else { throw .notFound("document '\(id)'") }
        switch verb {
        case "Read":
            if operation["ifNoneMatch"]?.stringValue == item.etag {
                return ["statusCode": 304, "requestCharge": 1, "eTag": .string(item.etag)]
            }
            return Self.result(200, item)
        case "Replace":
            return Self.result(200, try replaceDocument(item, write, in: collection))
        case "Delete":
            try write.checkMatch(item.etag)
            removeDocument(item, in: collection)
            return ["statusCode": 204, "requestCharge": 5]
        case "Patch":
            var inner = exchange
            inner.request.headers[HeaderName.partitionKey.rawValue] = header
            return Self.result(
                200, try patched(item, body, in: collection, inner, ifMatch: ifMatch))
        default: throw .badRequest("The operation '\(verb)' of the batch is unknown.")
        }
    }

    private static func result(_ status: Int, _ resource: StoredResource) -> JSONValue {
        [
            "statusCode": .integer(Int64(status)), "eTag": .string(resource.etag),
            "resourceBody": resource.body, "requestCharge": 5,
        ]
    }

    private static func result(of failure: ServiceFailure) -> JSONValue {
        [
            "statusCode": .integer(Int64(failure.status)), "requestCharge": 1,
            "subStatusCode": .integer(Int64(failure.subStatus)),
        ]
    }
}
