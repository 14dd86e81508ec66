/// What a path names: a feed of resources, one resource, a piece of media, or the account.
package struct ResourceLink: Sendable, Equatable {
    /// A part of a path with a kind and a name.
    package struct Step: Sendable, Equatable {
        /// The kind.
        package var kind: ResourceKind
        /// The `id` or the `_rid`.
        package var name: String
    }

    /// What the path ends with.
    package enum Target: Sendable, Equatable {
        /// The account.
        case account
        /// A feed below the steps.
        case feed(ResourceKind)
        /// The last step.
        case item
        /// A piece of media.
        case media(String)
    }

    /// The resources from the database on.
    package var steps: [Step]
    /// What the path ends with.
    package var target: Target

    /// The link of a path.
    ///
    /// - Parameter segments: The parts of the path, percent-decoded.
    /// - Throws: ``ServiceFailure`` with 400 when the service has no such paths.
    package init(segments: [String]) throws(ServiceFailure) {
        steps = []
        target = .account
        guard !segments.isEmpty else { return }
        if segments[0] == "media" {
            guard segments.count == 2 else { throw Self.unknown(segments) }
            target = .media(segments[1])
            return
        }
        for index in stride(from: 0, to: segments.count, by: 2) {
            let parent = steps.last?.kind
            guard let kind = ResourceKind(rawValue: segments[index]),
                parent?.children.contains(kind) ?? kind.isTop
            else { throw Self.unknown(segments) }
            guard index + 1 < segments.count else {
                target = .feed(kind)
                return
            }
            steps.append(Step(kind: kind, name: segments[index + 1]))
        }
        target = .item
    }

    /// Whether it is made of `_rid`s: the first name is the identifier of a database, or of an offer.
    package var isByIdentifier: Bool {
        guard let first = steps.first else { return false }
        return first.kind == .offers
            || ResourceIdentifier(text: first.name)?.bytes.count == 4
    }

    /// The kind that is signed for.
    package var signedKind: String {
        switch target {
        case .account: ""
        case .feed(let kind): kind.rawValue
        case .item: steps.last?.kind.rawValue ?? ""
        case .media: "media"
        }
    }

    /// The link that is signed for: of a feed, that of its parent.
    package var signedLink: String {
        if case .media(let name) = target { return name.lowercased() }
        if isByIdentifier { return steps.last?.name.lowercased() ?? "" }
        return path
    }

    /// The path of the last step.
    package var path: String {
        steps.map { "\($0.kind.rawValue)/\($0.name)" }.joined(separator: "/")
    }

    private static func unknown(_ segments: [String]) -> ServiceFailure {
        .badRequest("The service has no resources at '/\(segments.joined(separator: "/"))'.")
    }
}
