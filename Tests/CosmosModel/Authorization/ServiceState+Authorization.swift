import Foundation

extension ServiceState {
    /// Checks that the sender of a request may do what it asks for.
    ///
    /// - Throws: ``ServiceFailure`` with 401 when the request shows no valid signature or token, 403 when what it
    ///   shows is not enough for it.
    func authorize(
        _ request: ServiceRequest, _ link: ResourceLink, at now: ModelTime
    ) throws(ServiceFailure) {
        guard let header = request[.authorization], let text = header.removingPercentEncoding
        else { throw ServiceFailure(401, "The header authorization is missing.") }
        var parts: [String: String] = [:]
        for part in text.split(separator: "&", maxSplits: 2) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { parts[pair[0]] = pair[1] }
        }
        guard let signature = parts["sig"], let kind = parts["type"] else {
            throw ServiceFailure(401, "The header authorization has no type or no sig.")
        }
        switch kind {
        case "master":
            try checkSignature(signature, request, link, at: now)
        case "resource":
            guard let token = tokens[text] else {
                throw ServiceFailure(401, "The service has not made this resource token.")
            }
            try check(token, request, link, at: now)
        case "aad":
            guard let token = configuration.accessTokens[signature] else {
                throw ServiceFailure(401, "The access token is unknown.")
            }
            try check(token, request, link, at: now)
        default:
            throw ServiceFailure(401, "The header authorization has the unknown type '\(kind)'.")
        }
    }

    private func checkSignature(
        _ signature: String, _ request: ServiceRequest, _ link: ResourceLink, at now: ModelTime
    ) throws(ServiceFailure) {
        let date = request[.dateOfRequest]
        guard let shown = date ?? request[.date] else {
            throw ServiceFailure(401, "The header x-ms-date is missing.")
        }
        let payload = RequestSignature.payload(
            method: request.method, kind: link.signedKind, link: link.signedLink,
            date: date ?? "", plainDate: request[.date] ?? "")
        let matches = { (key: String) in
            RequestSignature.signature(of: payload, key: key) == signature
        }
        let isReadOnly = configuration.readOnlyKeys.contains(where: matches)
        guard isReadOnly || configuration.keys.contains(where: matches) else {
            throw ServiceFailure(
                401,
                "The signature does not fit. The service has signed this text: "
                    + payload.replacing("\n", with: "\\n"))
        }
        guard let sent = ModelTime(httpDate: shown) else {
            throw ServiceFailure(401, "The date '\(shown)' is not an HTTP date.")
        }
        if let tolerance = configuration.dateToleranceSeconds,
            abs(sent.seconds - now.seconds) > tolerance
        {
            throw ServiceFailure(403, "The date '\(shown)' is too far from the service's clock.")
        }
        if isReadOnly, !request.onlyReads {
            throw ServiceFailure(403, "The key is for reading alone.")
        }
    }

    private func check(
        _ token: IssuedToken, _ request: ServiceRequest, _ link: ResourceLink, at now: ModelTime
    ) throws(ServiceFailure) {
        guard now < token.expires else {
            throw ServiceFailure(403, "The resource token has expired.")
        }
        if link.target == .account { return }
        let scope = link.isByIdentifier ? token.identifierPath : token.path
        let path = try mediaPath(link) ?? link.path
        guard path == scope || path.hasPrefix(scope + "/") else {
            throw ServiceFailure(403, "The resource token is not for '\(path)'.")
        }
        guard token.mode == .all || request.onlyReads else {
            throw ServiceFailure(403, "The resource token is for reading alone.")
        }
        if let key = token.key, link.steps.count >= 2,
            link.steps.count > 2 || link.target == .feed(.documents)
        {
            let shown = try PartitionKeyValue(header: request[.partitionKey] ?? "[]")
            guard shown == key else {
                throw ServiceFailure(403, "The resource token is for another partition key.")
            }
        }
    }

    /// The path by names of the attachment whose media a link names; nil for other links.
    private func mediaPath(_ link: ResourceLink) throws(ServiceFailure) -> String? {
        guard case .media(let name) = link.target else { return nil }
        let number = ResourceIdentifier(text: name).flatMap { numbers[$0] }
        guard let item = number.flatMap({ resources[$0] }) else {
            throw .notFound("media '\(name)'")
        }
        return path(of: item)
    }

    private func check(
        _ token: AccessToken, _ request: ServiceRequest, _ link: ResourceLink, at now: ModelTime
    ) throws(ServiceFailure) {
        if let expires = token.expires, now >= expires {
            throw ServiceFailure(401, "The access token has expired.")
        }
        if request.onlyReads { return }
        guard token.mode == .all else {
            throw ServiceFailure(403, "The access token is for reading alone.")
        }
        let kind = link.target == .item ? link.steps.last?.kind : nil
        let isData =
            switch link.target {
            case .feed(let kind): kind == .documents || kind == .attachments
            case .item:
                kind == .documents || kind == .attachments
                    || (kind == .storedProcedures && request.method == "POST")
            case .media: true
            case .account: false
            }
        guard isData else {
            throw ServiceFailure(
                403, subStatus: 5300, "An access token is for data, not for '\(link.path)'.")
        }
    }
}

extension ServiceRequest {
    /// Whether it changes nothing: a read, a query, a query plan.
    var onlyReads: Bool {
        method == "GET" || method == "HEAD"
            || (method == "POST" && (isTrue(.isQuery) || isTrue(.isQueryPlan) || isQueryByType))
    }

    /// Whether its content type says that the body is a query.
    var isQueryByType: Bool {
        self[.contentType]?.hasPrefix("application/query+json") ?? false
    }
}
