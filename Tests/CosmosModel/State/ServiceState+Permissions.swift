import SettleDocuments

extension ServiceState {
    /// Makes a token for a permission.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when what it is for is not there, or when it should live too long or
    ///   too short.
    mutating func issueToken(
        for permission: StoredResource, _ exchange: Exchange
    ) throws(ServiceFailure) -> String {
        let seconds = exchange.request[.expirySeconds].map { Int($0) ?? 0 } ?? 3_600
        guard (10...18_000).contains(seconds) else {
            throw .badRequest("A resource token lives from 10 to 18000 seconds.")
        }
        let body = permission.body
        let link = body["resource"]?.stringValue ?? ""
        guard let mode = body["permissionMode"]?.stringValue.flatMap(PermissionMode.init),
            let (path, identifierPath) = paths(ofLink: link)
        else { throw .badRequest("There is no resource '\(link)' to permit.") }
        var key: PartitionKeyValue?
        if let value = body["resourcePartitionKey"], !value.isNull {
            key = try PartitionKeyValue(header: value.jsonText)
        }
        let token = "type=resource&ver=1&sig=\(generator.uuid());\(generator.uuid());"
        tokens[token] = IssuedToken(
            mode: mode, path: path, identifierPath: identifierPath, key: key,
            expires: ModelTime(seconds: exchange.now.seconds + Double(seconds)))
        return token
    }

    /// The two paths of a resource, whichever of them the link is; nil when its collection is not there.
    private func paths(ofLink link: String) -> (String, String)? {
        let segments = link.split(separator: "/").map(String.init)
        guard let link = try? ResourceLink(segments: segments), link.target == .item
        else { return nil }
        if link.isByIdentifier {
            let identifier = link.steps.last.flatMap { ResourceIdentifier(text: $0.name) }
            guard let resource = identifier.flatMap({ numbers[$0] }).flatMap({ resources[$0] })
            else { return nil }
            return (path(of: resource), link.path)
        }
        var parent: UInt64?
        var identifierPath: [String] = []
        for step in link.steps {
            // Documents of several partitions may have this name; the token is for all of them by name.
            let found = feeds[FeedKey(parent: parent, kind: step.kind)]?.numbersByName
                .filter { $0.key.id == step.name }.map(\.value).min()
            guard let resource = found.flatMap({ resources[$0] }) else { return nil }
            identifierPath += [step.kind.rawValue, resource.identifier.description]
            parent = resource.number
        }
        return (link.path, identifierPath.joined(separator: "/"))
    }
}
