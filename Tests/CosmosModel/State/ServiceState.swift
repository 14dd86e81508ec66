import SettleDocuments

/// The whole of an account, as a value: requests go in, responses come out.
package struct ServiceState: Sendable {
    /// What the account began with.
    package var configuration: AccountConfiguration
    var generator: ModelGenerator
    /// The number of the resource made last.
    var numberLast: UInt64 = 0
    var resources: [UInt64: StoredResource] = [:]
    var numbers: [ResourceIdentifier: UInt64] = [:]
    var feeds: [FeedKey: ResourceFeed] = [:]
    var collections: [UInt64: CollectionState] = [:]
    var media: [ResourceIdentifier: StoredMedia] = [:]
    var tokens: [String: IssuedToken] = [:]
    /// What a replica that lags has; empty when none does.
    var replica: [ServiceState] = []
    /// How many of the next pages of documents come empty, though more follow.
    package var emptyPages = 0

    /// An account with nothing in it.
    package init(configuration: AccountConfiguration = AccountConfiguration()) {
        self.configuration = configuration
        generator = ModelGenerator(seed: configuration.seed)
    }

    /// Carries out a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: What the service's clock shows.
    /// - Returns: The response, also where the request is refused.
    package mutating func respond(
        to request: ServiceRequest, at now: ModelTime
    ) -> ServiceResponse {
        var response: ServiceResponse
        do throws(ServiceFailure) {
            let link = try ResourceLink(segments: request.segments)
            try authorize(request, link, at: now)
            response = try carryOut(Exchange(request: request, link: link, now: now))
        } catch {
            response = ServiceResponse(failure: error)
        }
        response[.activityID] = request[.activityID] ?? generator.uuid()
        response[.requestCharge] = response[.requestCharge] ?? "1"
        response[.schemaVersion] = "1.19"
        response[.serviceVersion] = "version=2.14.0.0"
        response[.date] = now.httpDate
        return response
    }

    mutating func carryOut(
        _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        if let response = try responseOfReplica(exchange) { return response }
        let link = exchange.link
        switch link.target {
        case .account: return ServiceResponse(status: 200, json: account(exchange))
        case .media(let name): return try respondForMedia(name, exchange)
        case .feed(let kind):
            let parent = try parent(of: link.steps[...], exchange)
            return try respond(for: kind, in: parent, exchange)
        case .item:
            let parent = try parent(of: link.steps.dropLast(), exchange)
            return try respond(forItemIn: parent, exchange)
        }
    }

    private mutating func respond(
        for kind: ResourceKind, in parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        let request = exchange.request
        switch request.method {
        case "GET" where kind == .documents && request[.changeFeed] != nil:
            return try changeFeed(of: try required(parent), exchange)
        case "GET": return try list(kind, in: parent, exchange)
        case "POST" where request.isTrue(.isQueryPlan):
            return try queryPlan(exchange)
        case "POST" where request.isTrue(.isQuery) || request.isQueryByType:
            return try query(kind, in: parent, exchange)
        case "POST" where kind == .documents && request.isTrue(.isBatch):
            return try batch(in: try required(parent), exchange)
        case "POST" where kind == .documents:
            return try postDocument(in: try required(parent), exchange)
        case "POST": return try create(kind, in: parent, exchange)
        default: throw Self.methodRefused(request)
        }
    }

    private mutating func respond(
        forItemIn parent: UInt64?, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let step = exchange.link.steps.last else { throw .notFound("resource") }
        let method = exchange.request.method
        if step.kind == .partitionKeyRanges {
            guard method == "GET" else { throw Self.methodRefused(exchange.request) }
            return try readRange(step.name, of: try required(parent))
        }
        let item = try item(step, in: parent, exchange)
        if step.kind == .documents {
            let collection = try required(parent)
            switch method {
            case "GET", "HEAD": return try readDocument(item, in: collection, exchange)
            case "PUT": return try replaceDocument(item, in: collection, exchange)
            case "PATCH": return try patchDocument(item, in: collection, exchange)
            case "DELETE": return try deleteDocument(item, in: collection, exchange)
            default: throw Self.methodRefused(exchange.request)
            }
        }
        switch method {
        case "GET", "HEAD": return try read(item, exchange)
        case "PUT": return try replace(item, exchange)
        case "DELETE": return try delete(item, exchange)
        case "POST" where step.kind == .storedProcedures:
            return try execute(item, in: try required(parent), exchange)
        default: throw Self.methodRefused(exchange.request)
        }
    }

    private func required(_ parent: UInt64?) throws(ServiceFailure) -> UInt64 {
        guard let parent else { throw .notFound("collection") }
        return parent
    }

    private static func methodRefused(_ request: ServiceRequest) -> ServiceFailure {
        ServiceFailure(405, "\(request.method) is not possible at '\(request.path)'.")
    }
}
