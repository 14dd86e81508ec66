import SettleDocuments

/// A request on its way through the service.
struct Exchange: Sendable {
    var request: ServiceRequest
    var link: ResourceLink
    var now: ModelTime

    /// The clock in whole seconds.
    var timestamp: Int64 { Int64(now.seconds) }

    /// Checks `If-Match` against the etag of what is stored.
    ///
    /// - Throws: ``ServiceFailure`` with 412 when they differ.
    func checkMatch(_ etag: String) throws(ServiceFailure) {
        guard let expected = request[.ifMatch], expected != "*", expected != etag else { return }
        throw ServiceFailure(412, "The resource has another etag than the header If-Match.")
    }

    /// Whether a reader has this version of a resource already.
    func isKnown(_ resource: StoredResource) -> Bool {
        if let known = request[.ifNoneMatch] { return known == resource.etag || known == "*" }
        if let since = request[.ifModifiedSince].flatMap(ModelTime.init(httpDate:)) {
            return Double(resource.timestamp) <= since.seconds
        }
        return false
    }
}

extension ServiceResponse {
    /// The response that says why a request is refused.
    init(failure: ServiceFailure) {
        self.init(
            status: failure.status,
            json: ["code": .string(failure.code), "message": .string(failure.message)])
        headers.merge(failure.headers) { _, header in header }
        if failure.subStatus != 0 { self[.subStatus] = String(failure.subStatus) }
    }

    /// The response with a resource.
    init(status: Int, resource: StoredResource) {
        self.init(status: status, json: resource.body)
        self[.etag] = resource.etag
    }

    /// The response that the reader has the resource already.
    static func notModified(_ resource: StoredResource) -> ServiceResponse {
        var response = ServiceResponse(status: 304)
        response[.etag] = resource.etag
        return response
    }
}
