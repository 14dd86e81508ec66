extension ServiceState {
    /// Keeps what there is now as a replica that lags behind.
    ///
    /// From then on, reads and queries of documents see it, unless their session token says that they have seen
    /// more, or the account or the request wants strong consistency.
    package mutating func holdReplica() {
        var held = self
        held.replica = []
        replica = [held]
    }

    /// Lets all reads see what there is.
    package mutating func releaseReplica() { replica = [] }

    /// The response of the replica that lags; nil when the request is not for it.
    ///
    /// - Throws: ``ServiceFailure`` as the request itself would.
    mutating func responseOfReplica(
        _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse? {
        guard var held = replica.first, isForReplica(exchange, held) else { return nil }
        defer { replica = [held] }
        return try held.carryOut(exchange)
    }

    private func isForReplica(_ exchange: Exchange, _ held: ServiceState) -> Bool {
        let link = exchange.link
        let level = exchange.request[.consistencyLevel] ?? configuration.consistency
        let isOfDocuments =
            link.target == .feed(.documents)
            || (link.target == .item && link.steps.last?.kind == .documents)
        guard isOfDocuments, exchange.request.onlyReads, level != "Strong" else { return false }
        let steps = link.target == .item ? link.steps.dropLast() : link.steps[...]
        guard let collection = try? parent(of: steps, exchange),
            let state = held.collections[collection]
        else { return false }
        return (try? held.checkSession(in: collection, ranges: state.ranges, exchange)) != nil
    }
}
