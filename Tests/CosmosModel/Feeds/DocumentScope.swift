import SettleDocuments

/// The documents that a list, a query or a change feed looks at.
struct DocumentScope {
    var collection: UInt64
    /// The one logical partition; nil for several.
    var key: PartitionKeyValue?
    /// The lowest effective key.
    var lower = ""
    /// The effective key above all of them.
    var upper = "FF"
    /// Whether the request names a range.
    var isOfRange = false

    /// Whether a document is among them.
    func contains(_ resource: StoredResource) -> Bool {
        if let key { return resource.key == key }
        return lower <= resource.effectiveKey && resource.effectiveKey < upper
    }
}

extension ServiceState {
    /// The documents that a request looks at.
    ///
    /// - Throws: ``ServiceFailure`` with 410 and 1002 when it names a range that there is no more.
    func scope(
        of exchange: Exchange, in collection: UInt64
    ) throws(ServiceFailure) -> DocumentScope {
        guard let state = collections[collection] else { throw .notFound("collection") }
        let request = exchange.request
        var scope = DocumentScope(collection: collection)
        if let header = request[.partitionKeyRangeID] {
            let id = header.split(separator: ",").last.map(String.init) ?? header
            guard let range = state.ranges.first(where: { $0.id == id }) else {
                throw ServiceFailure(410, subStatus: 1002, "The range '\(id)' is no more.")
            }
            scope.lower = range.lower
            scope.upper = range.upper
            scope.isOfRange = true
        }
        if let start = request[.startEffectiveKey] { scope.lower = max(scope.lower, start) }
        if let end = request[.endEffectiveKey] { scope.upper = min(scope.upper, end) }
        if let header = request[.partitionKey] {
            let key = try state.definition.value(ofHeader: header)
            let text = EffectiveKey.text(of: key, in: state.definition)
            scope.key = key
            scope.lower = text
            scope.upper = text + "0"
        }
        try checkSession(
            in: collection, ranges: state.ranges(from: scope.lower, to: scope.upper), exchange)
        return scope
    }

    /// The size of the page that a request wants.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is neither -1 nor from 1 to 1000.
    func pageSize(_ exchange: Exchange) throws(ServiceFailure) -> Int {
        guard let header = exchange.request[.maxItemCount] else { return configuration.pageSize }
        guard let count = Int(header), count == -1 || (1...1_000).contains(count) else {
            throw .badRequest("The header x-ms-max-item-count is -1, or from 1 to 1000.")
        }
        return count == -1 ? configuration.pageSize : count
    }
}
