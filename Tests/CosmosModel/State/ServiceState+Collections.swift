import SettleDocuments

extension ServiceState {
    /// Gives a new collection its ranges and its offer.
    mutating func openCollection(
        _ resource: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> StoredResource {
        let definition = try PartitionKeyDefinition(of: resource.body)
        let throughput = exchange.request[.offerThroughput].flatMap { Int($0) } ?? 400
        let count = max(configuration.rangeCount, (throughput + 9_999) / 10_000)
        var state = CollectionState(definition: definition, ranges: [], rangeCount: count)
        do throws(ServiceFailure) { try state.read(resource.body) } catch {
            remove(resource)
            throw error
        }
        let bounds = PartitionKeyRange.bounds(count: count, version: definition.version)
        for index in 0..<count {
            state.ranges.append(
                newRange(index, in: resource, from: bounds[index], to: bounds[index + 1]))
        }
        collections[resource.number] = state
        let offer: JSONValue = [
            "offerType": "Invalid", "offerVersion": "V2", "resource": .string(resource.selfLink),
            "offerResourceId": .string(resource.identifier.description),
            "content": [
                "offerThroughput": .integer(Int64(throughput)),
                "offerIsRUPerMinuteThroughputEnabled": false,
            ],
            "id": .string(generator.uuid().suffix(4).description + String(resource.number)),
        ]
        _ = insert(.offers, in: nil, offer, at: exchange.timestamp)
        return resource
    }

    /// Removes the offer of a collection.
    mutating func removeOffer(of collection: StoredResource) {
        let link = JSONValue.string(collection.selfLink)
        let offers = (feeds[FeedKey(parent: nil, kind: .offers)]?.numbers ?? [])
            .compactMap { resources[$0] }
        for offer in offers where offer.body["resource"] == link { remove(offer) }
    }

    /// Makes a range.
    private mutating func newRange(
        _ index: Int, in collection: StoredResource, from lower: String, to upper: String,
        parents: [String] = []
    ) -> PartitionKeyRange {
        let identifier = ResourceIdentifier(
            of: .partitionKeyRanges, in: collection.identifier, number: UInt64(index) + 2,
            random: &generator)
        return PartitionKeyRange(
            id: String(index), identifier: identifier, lower: lower, upper: upper,
            parents: parents)
    }

    /// Splits a range in two.
    ///
    /// - Parameters:
    ///   - id: The range.
    ///   - path: The collection's path by names, such as `dbs/shop/colls/items`.
    /// - Returns: The ids of the new ranges; nothing when there is no such range.
    @discardableResult
    package mutating func splitRange(_ id: String, ofCollectionAt path: String) -> [String] {
        guard
            let number = collections.keys.first(where: { number in
                resources[number].map { self.path(of: $0) == path } ?? false
            }), var state = collections[number], let resource = resources[number],
            let place = state.ranges.firstIndex(where: { $0.id == id })
        else { return [] }
        let old = state.ranges[place]
        let middle = old.middle(version: state.definition.version)
        let parents = old.parents + [old.id]
        let lower = newRange(
            state.rangeCount, in: resource, from: old.lower, to: middle, parents: parents)
        let upper = newRange(
            state.rangeCount + 1, in: resource, from: middle, to: old.upper, parents: parents)
        state.ranges.replaceSubrange(place...place, with: [lower, upper])
        state.rangeCount += 2
        collections[number] = state
        return [lower.id, upper.id]
    }

    /// A range as a resource.
    func body(of range: PartitionKeyRange, in collection: UInt64) -> JSONValue {
        let link = resources[collection]?.selfLink ?? ""
        return [
            "id": .string(range.id), "_rid": .string(range.identifier.description),
            "_self": .string("\(link)pkranges/\(range.identifier)/"),
            "_etag": .string("\"range-\(range.id)\""),
            "_ts": .integer(resources[collection]?.timestamp ?? 0),
            "minInclusive": .string(range.lower), "maxExclusive": .string(range.upper),
            "ridPrefix": .integer(Int64(range.id) ?? 0), "throughputFraction": 1,
            "status": "online", "parents": .array(range.parents.map { .string($0) }),
            "lsn": .integer(collections[collection]?.sequence ?? 0),
        ]
    }

    /// One range of a collection.
    func readRange(_ name: String, of collection: UInt64) throws(ServiceFailure) -> ServiceResponse
    {
        guard
            let range = collections[collection]?.ranges.first(where: {
                $0.id == name || $0.identifier.description == name
            })
        else { throw .notFound("pkranges '\(name)'") }
        return ServiceResponse(status: 200, json: body(of: range, in: collection))
    }

    /// Adds how much a collection has and may have.
    func addUsage(of collection: StoredResource, to response: inout ServiceResponse) {
        let count = { (kind: ResourceKind) in
            self.feeds[FeedKey(parent: collection.number, kind: kind)]?.numbers.count ?? 0
        }
        response[.resourceQuota] =
            "documentSize=10240;documentsSize=10485760;documentsCount=-1;collectionSize=10485760;"
            + "functions=25;storedProcedures=100;triggers=25;"
        response[.resourceUsage] =
            "documentSize=0;documentsSize=\(count(.documents));documentsCount=\(count(.documents));"
            + "collectionSize=\(count(.documents));functions=\(count(.userDefinedFunctions));"
            + "storedProcedures=\(count(.storedProcedures));triggers=\(count(.triggers));"
    }
}
