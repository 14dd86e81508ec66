import SettleDocuments

/// Creating, finding and removing, the same for every kind of resource.
extension ServiceState {
    /// The resource that the steps of a link lead to; nil for the account.
    ///
    /// - Throws: ``ServiceFailure`` with 404 when one of them is not there.
    func parent(
        of steps: ArraySlice<ResourceLink.Step>, _ exchange: Exchange
    ) throws(ServiceFailure) -> UInt64? {
        var parent: UInt64?
        for step in steps {
            guard let number = try find(step, in: parent, exchange) else {
                throw ServiceFailure(
                    404, subStatus: 1003, "There is no \(step.kind.rawValue) '\(step.name)'.")
            }
            parent = number
        }
        return parent
    }

    /// The resource of the last step of a link.
    ///
    /// - Throws: ``ServiceFailure`` with 404 when it is not there.
    func item(
        _ step: ResourceLink.Step, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> StoredResource {
        guard let number = try find(step, in: parent, exchange), let found = resources[number]
        else {
            throw .notFound("\(step.kind.rawValue) '\(step.name)'")
        }
        return found
    }

    private func find(
        _ step: ResourceLink.Step, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> UInt64? {
        var key: PartitionKeyValue?
        if step.kind == .documents, let parent, let collection = collections[parent] {
            key = try collection.definition.value(ofHeader: exchange.request[.partitionKey])
        }
        let number =
            exchange.link.isByIdentifier
            ? ResourceIdentifier(text: step.name).flatMap { numbers[$0] }
            : feeds[FeedKey(parent: parent, kind: step.kind)]?
                .numbersByName[ResourceName(id: step.name, key: key)]
        guard let number, let resource = resources[number], resource.parent == parent,
            resource.kind == step.kind, resource.key == key,
            !isExpired(resource, at: exchange.timestamp)
        else { return nil }
        return number
    }

    /// Stores a new resource.
    ///
    /// - Parameters:
    ///   - kind: What it is.
    ///   - parent: What it is in.
    ///   - body: Its members; the system's are added.
    ///   - timestamp: The clock in whole seconds.
    ///   - key: The partition key, of a document.
    /// - Returns: The resource as it is stored.
    mutating func insert(
        _ kind: ResourceKind, in parent: UInt64?, _ body: JSONValue, at timestamp: Int64,
        key: PartitionKeyValue? = nil
    ) -> StoredResource {
        numberLast += 1
        let container = parent.flatMap { resources[$0] }
        let identifier = ResourceIdentifier(
            of: kind, in: kind == .offers ? nil : container?.identifier, number: numberLast,
            random: &generator)
        var resource = StoredResource(
            kind: kind, number: numberLast, identifier: identifier, parent: parent, body: body,
            etag: "", timestamp: timestamp, key: key)
        resource.body["_rid"] = .string(identifier.description)
        resource.body["_self"] = .string(
            "\(container?.selfLink ?? "")\(kind.rawValue)/\(identifier)/")
        for (name, path) in kind.linkMembers { resource.body[name] = .string(path) }
        stamp(&resource, at: timestamp)
        resources[numberLast] = resource
        numbers[identifier] = numberLast
        feeds[FeedKey(parent: parent, kind: kind), default: ResourceFeed()]
            .append(numberLast, named: ResourceName(id: resource.id, key: key))
        return resource
    }

    /// Stores a new version of a resource: the members of a body, with the system's of before.
    mutating func update(
        _ resource: StoredResource, to body: JSONValue, at timestamp: Int64
    ) -> StoredResource {
        var updated = resource
        updated.body = body
        let kept = ["_rid", "_self"] + resource.kind.linkMembers.map(\.0)
        for name in kept { updated.body[name] = resource.body[name] }
        stamp(&updated, at: timestamp)
        if updated.id != resource.id {
            feeds[FeedKey(parent: resource.parent, kind: resource.kind)]?.rename(
                ResourceName(id: resource.id, key: resource.key),
                to: ResourceName(id: updated.id, key: resource.key))
        }
        resources[resource.number] = updated
        return updated
    }

    /// Gives a resource a new etag and the time.
    private mutating func stamp(_ resource: inout StoredResource, at timestamp: Int64) {
        resource.etag = "\"\(generator.uuid())\""
        resource.timestamp = timestamp
        resource.body["_etag"] = .string(resource.etag)
        resource.body["_ts"] = .integer(timestamp)
    }

    /// Removes a resource and all that is in it.
    mutating func remove(_ resource: StoredResource) {
        for kind in resource.kind.children {
            let key = FeedKey(parent: resource.number, kind: kind)
            for number in feeds[key]?.numbers ?? [] {
                if let child = resources[number] { remove(child) }
            }
            feeds[key] = nil
        }
        feeds[FeedKey(parent: resource.parent, kind: resource.kind)]?
            .remove(named: ResourceName(id: resource.id, key: resource.key))
        resources[resource.number] = nil
        numbers[resource.identifier] = nil
        collections[resource.number] = nil
        media[resource.identifier] = nil
        if resource.kind == .collections { removeOffer(of: resource) }
    }

    /// The path by names of a resource.
    func path(of resource: StoredResource) -> String {
        let parent = resource.parent.flatMap { resources[$0] }
        return (parent.map { path(of: $0) + "/" } ?? "")
            + "\(resource.kind.rawValue)/\(resource.id)"
    }

    /// Checks the `id` in a body.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is missing or has what no id has.
    static func checkedID(of body: JSONValue) throws(ServiceFailure) -> String {
        guard let id = body["id"]?.stringValue, !id.isEmpty else {
            throw .badRequest("The member 'id' is missing, or is no string with characters.")
        }
        guard id.utf8.count <= 255 else { throw .badRequest("An id has at most 255 bytes.") }
        guard !id.contains(where: { "/\\?#".contains($0) }), id.last != " " else {
            throw .badRequest("An id has none of / \\ ? # and no space at its end.")
        }
        return id
    }
}
