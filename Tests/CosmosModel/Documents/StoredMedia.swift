import SettleDocuments

/// The bytes of an attachment.
struct StoredMedia: Sendable {
    var bytes: [UInt8]
    var contentType: String
}

extension ServiceState {
    /// Creates an attachment from bytes; nil when the request has a JSON body instead.
    mutating func createMedia(
        in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse? {
        let request = exchange.request
        let type = request[.contentType] ?? "application/octet-stream"
        guard let slug = request[.slug] ?? (type.hasPrefix("application/json") ? nil : "") else {
            return nil
        }
        let id = try Self.checkedID(of: ["id": .string(slug)])
        let old = feeds[FeedKey(parent: parent, kind: .attachments)]?
            .numbersByName[ResourceName(id: id)]
        if let old = old.flatMap({ resources[$0] }) {
            guard request.isTrue(.isUpsert) else {
                throw ServiceFailure(409, "There is attachments '\(id)' already.")
            }
            return try replaceMedia(of: old, exchange)
        }
        var resource = insert(
            .attachments, in: parent, ["id": .string(id), "contentType": .string(type)],
            at: exchange.timestamp)
        resource.body["media"] = .string("/media/\(resource.identifier)")
        resources[resource.number] = resource
        media[resource.identifier] = StoredMedia(bytes: request.body, contentType: type)
        return ServiceResponse(status: 201, resource: resource)
    }

    /// Replaces the bytes of an attachment; nil when the request has a JSON body instead.
    mutating func replaceMedia(
        of item: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse? {
        let request = exchange.request
        let type = request[.contentType] ?? "application/octet-stream"
        guard request[.slug] != nil || !type.hasPrefix("application/json") else { return nil }
        var body = item.body
        body["contentType"] = .string(type)
        body["media"] = .string("/media/\(item.identifier)")
        media[item.identifier] = StoredMedia(bytes: request.body, contentType: type)
        let updated = update(item, to: body, at: exchange.timestamp)
        return ServiceResponse(status: 200, resource: updated)
    }

    /// Reads or replaces the bytes of an attachment by their own link.
    mutating func respondForMedia(
        _ name: String, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let identifier = ResourceIdentifier(text: name), let found = media[identifier],
            let item = numbers[identifier].flatMap({ resources[$0] })
        else { throw .notFound("media '\(name)'") }
        switch exchange.request.method {
        case "GET", "HEAD":
            var response = ServiceResponse(status: 200, body: found.bytes)
            response[.contentType] = found.contentType
            return response
        case "PUT":
            try exchange.checkMatch(item.etag)
            return try replaceMedia(of: item, exchange)
                ?? ServiceResponse(status: 200, resource: item)
        default:
            throw ServiceFailure(405, "\(exchange.request.method) is not possible for media.")
        }
    }
}
