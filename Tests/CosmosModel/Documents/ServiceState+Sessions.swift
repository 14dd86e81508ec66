extension ServiceState {
    /// Checks that the service is as far as the session of a request.
    ///
    /// - Throws: ``ServiceFailure`` with 404 and 1002 when it is behind.
    func checkSession(
        of item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) {
        guard let state = collections[collection] else { return }
        let range = state.range(of: item.effectiveKey)
        try checkSession(in: collection, ranges: [range], exchange)
    }

    /// Checks it for some ranges.
    func checkSession(
        in collection: UInt64, ranges: [PartitionKeyRange], _ exchange: Exchange
    ) throws(ServiceFailure) {
        guard let header = exchange.request[.sessionToken], let state = collections[collection]
        else { return }
        for part in header.split(separator: ",") {
            let pieces = part.split(separator: ":").map(String.init)
            guard let id = pieces.first, let token = pieces.last, pieces.count == 2,
                let sequence = Int64(token.split(separator: "#").dropFirst().first ?? "")
            else { throw .badRequest("The header x-ms-session-token is malformed.") }
            let concerns = ranges.contains { $0.id == id || $0.parents.contains(id) }
            if concerns, sequence > state.sequence {
                throw ServiceFailure(
                    404, subStatus: 1002, "The service is not yet as far as this session.")
            }
        }
    }
}
