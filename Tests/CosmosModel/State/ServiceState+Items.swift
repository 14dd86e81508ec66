import SettleDocuments

/// Requests for one resource that is no document.
extension ServiceState {
    mutating func create(
        _ kind: ResourceKind, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        if kind == .attachments, let response = try createMedia(in: parent, exchange) {
            return response
        }
        guard kind != .offers, kind != .partitionKeyRanges, kind != .conflicts else {
            throw ServiceFailure(405, "The service makes \(kind.rawValue) itself.")
        }
        var body = try Self.object(exchange.request.json())
        let id = try Self.checkedID(of: body)
        let feed = FeedKey(parent: parent, kind: kind)
        let old = feeds[feed]?.numbersByName[ResourceName(id: id)]
        if let old = old.flatMap({ resources[$0] }) {
            guard exchange.request.isTrue(.isUpsert) else {
                throw ServiceFailure(409, "There is \(kind.rawValue) '\(id)' already.")
            }
            try exchange.checkMatch(old.etag)
            return try replace(old, exchange)
        }
        try complete(&body, of: kind, exchange)
        var resource = insert(kind, in: parent, body, at: exchange.timestamp)
        if kind == .collections { resource = try openCollection(resource, exchange) }
        return try finished(ServiceResponse(status: 201, resource: resource), resource, exchange)
    }

    mutating func read(
        _ item: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        if exchange.isKnown(item) { return .notModified(item) }
        return try finished(ServiceResponse(status: 200, resource: item), item, exchange)
    }

    mutating func replace(
        _ item: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        try exchange.checkMatch(item.etag)
        if item.kind == .attachments, let response = try replaceMedia(of: item, exchange) {
            return response
        }
        guard item.kind != .databases else {
            throw ServiceFailure(405, "A database cannot be replaced.")
        }
        var body = try Self.object(exchange.request.json())
        let id = try Self.checkedID(of: body)
        let other = feeds[FeedKey(parent: item.parent, kind: item.kind)]?
            .numbersByName[ResourceName(id: id)]
        guard other == nil || other == item.number else {
            throw ServiceFailure(409, "There is \(item.kind.rawValue) '\(id)' already.")
        }
        try complete(&body, of: item.kind, exchange)
        if item.kind == .collections {
            guard id == item.id, var state = collections[item.number] else {
                throw .badRequest("The id of a collection cannot be replaced.")
            }
            guard body["partitionKey"] == item.body["partitionKey"] else {
                throw .badRequest("The partition key of a collection cannot be replaced.")
            }
            try state.read(body)
            collections[item.number] = state
        }
        let updated = update(item, to: body, at: exchange.timestamp)
        return try finished(ServiceResponse(status: 200, resource: updated), updated, exchange)
    }

    mutating func delete(
        _ item: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard item.kind != .offers else { throw ServiceFailure(405, "An offer stays.") }
        try exchange.checkMatch(item.etag)
        remove(item)
        return ServiceResponse(status: 204)
    }

    /// The members of an object; 400 for anything else.
    static func object(_ value: JSONValue) throws(ServiceFailure) -> JSONValue {
        guard value.objectValue != nil else { throw .badRequest("The body is no JSON object.") }
        return value
    }

    /// Adds what the service adds to a new resource, and checks what it needs.
    private func complete(
        _ body: inout JSONValue, of kind: ResourceKind, _ exchange: Exchange
    ) throws(ServiceFailure) {
        switch kind {
        case .collections:
            let definition = try PartitionKeyDefinition(of: body)
            if definition.version == 2, (exchange.request[.version] ?? "") < "2018-12-31" {
                throw .badRequest("Large partition keys need x-ms-version 2018-12-31 or later.")
            }
            body["partitionKey"] = definition.json
            if body["indexingPolicy"] == nil { body["indexingPolicy"] = Self.indexingPolicy }
        case .permissions:
            guard body["permissionMode"]?.stringValue.flatMap(PermissionMode.init) != nil,
                body["resource"]?.stringValue != nil
            else { throw .badRequest("A permission has a permissionMode and a resource.") }
            body["_token"] = nil
        case .storedProcedures, .triggers, .userDefinedFunctions:
            guard body["body"]?.stringValue != nil else {
                throw .badRequest("The member 'body' with the code is missing.")
            }
        default: break
        }
    }

    private static let indexingPolicy: JSONValue = [
        "indexingMode": "consistent", "automatic": true, "includedPaths": [["path": "/*"]],
        "excludedPaths": [["path": "/\"_etag\"/?"]],
    ]

    /// Adds the headers that go with a resource, and the token of a permission.
    private mutating func finished(
        _ response: ServiceResponse, _ item: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        var response = response
        if item.kind == .permissions {
            let token = try issueToken(for: item, exchange)
            var body = item.body
            body["_token"] = .string(token)
            response.body = Array(body.jsonText.utf8)
        }
        let parent = item.parent.flatMap { resources[$0] }
        response[.alternateContentPath] = parent.map(path(of:)) ?? ""
        response[.contentPath] = (parent ?? item).identifier.description
        if item.kind == .collections { addUsage(of: item, to: &response) }
        return response
    }
}
