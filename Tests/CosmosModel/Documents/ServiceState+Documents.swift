import SettleDocuments

/// Requests for one document.
extension ServiceState {
    /// The most bytes of a document.
    static let documentSizeMax = 2 << 20

    mutating func postDocument(
        in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        let body = try triggered(
            try exchange.request.json(), by: .preTriggers, in: collection, exchange)
        let write = DocumentWrite(
            body: body, size: exchange.request.body.count, header: exchange.request[.partitionKey],
            exchange: exchange)
        let (status, resource) =
            exchange.request.isTrue(.isUpsert)
            ? try upsert(write, in: collection)
            : (201, try createDocument(write, in: collection))
        return written(status, resource, in: collection, exchange)
    }

    mutating func replaceDocument(
        _ item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        let body = try triggered(
            try exchange.request.json(), by: .preTriggers, in: collection, exchange)
        let write = DocumentWrite(
            body: body, size: exchange.request.body.count, header: exchange.request[.partitionKey],
            exchange: exchange)
        let resource = try replaceDocument(item, write, in: collection)
        return written(200, resource, in: collection, exchange)
    }

    mutating func readDocument(
        _ item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        try checkSession(of: item, in: collection, exchange)
        var response =
            exchange.isKnown(item)
            ? ServiceResponse.notModified(item) : ServiceResponse(status: 200, resource: item)
        addDocumentHeaders(for: item, in: collection, to: &response)
        response[.requestCharge] = Self.charge(1, bytes: response.body.count)
        return response
    }

    mutating func deleteDocument(
        _ item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        try exchange.checkMatch(item.etag)
        removeDocument(item, in: collection)
        var response = ServiceResponse(status: 204)
        addDocumentHeaders(for: item, in: collection, to: &response)
        response[.etag] = nil
        response[.requestCharge] = Self.charge(5, bytes: 1)
        return response
    }

    /// The response to a write, with the document unless the request wants none.
    func written(
        _ status: Int, _ resource: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) -> ServiceResponse {
        var response = ServiceResponse(status: status, resource: resource)
        response[.requestCharge] = Self.charge(5, bytes: response.body.count)
        if exchange.request[.prefer]?.lowercased() == "return=minimal" { response.body = [] }
        addDocumentHeaders(for: resource, in: collection, to: &response)
        return response
    }

    /// The charge of an operation: so much for each kilobyte begun.
    static func charge(_ perKilobyte: Int, bytes: Int) -> String {
        "\(perKilobyte * max(1, (bytes + 1_023) / 1_024)).24"
    }

    /// Adds what a response about a document tells of its collection.
    func addDocumentHeaders(
        for resource: StoredResource, in collection: UInt64, to response: inout ServiceResponse
    ) {
        guard let state = collections[collection], let container = resources[collection]
        else { return }
        let range = state.range(of: resource.effectiveKey)
        response[.etag] = resource.etag
        response[.alternateContentPath] = path(of: container)
        response[.contentPath] = container.identifier.description
        response[.partitionKeyRangeID] = range.id
        response[.sequenceNumber] = String(state.sequence)
        response[.sessionToken] = "\(range.id):-1#\(state.sequence)"
        addUsage(of: container, to: &response)
    }
}
