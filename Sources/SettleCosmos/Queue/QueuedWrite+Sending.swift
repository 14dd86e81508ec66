import SettleDocuments

extension Cosmos.QueuedWrite {
    private static let bytesMember = "bytes"
    private static let bodiesMember = "bodies"

    /// The content of an attachment's bytes.
    static func content(
        ofBytes bytes: [UInt8], _ sealer: Cosmos.Sealer
    ) throws -> Cosmos.StoredValue {
        let packed = try PackedValue(.object([bytesMember: .string(Base64Text.text(bytes))]))
        return Cosmos.StoredValue(try sealer.sealed(packed))
    }

    /// The content of a batch: a body for each step, `null` for a deletion.
    static func content(
        ofBodies bodies: [Cosmos.ResourceBody?], _ sealer: Cosmos.Sealer
    ) throws -> Cosmos.StoredValue {
        let values = bodies.map { body in body.map { JSONValue.object($0.json) } ?? .null }
        let packed = try PackedValue(.object([bodiesMember: .array(values)]))
        return Cosmos.StoredValue(try sealer.sealed(packed))
    }

    /// The body that it writes; nil for a deletion, bytes and a batch.
    func body(_ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) -> Cosmos.ResourceBody? {
        guard kind != .batch, contentType == nil, let content else { return nil }
        return Cosmos.ResourceBody(packed: try sealer.opened(content.packed))
    }

    /// The bodies of the steps of a batch.
    func bodies(_ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) -> [Cosmos.ResourceBody?] {
        guard kind == .batch, let content else { return [] }
        let members = try? sealer.opened(content.packed).value()
        let values = members?[Self.bodiesMember]?.arrayValue ?? []
        var bodies: [Cosmos.ResourceBody?] = []
        for value in values {
            guard let members = value.objectValue else {
                bodies.append(nil)
                continue
            }
            bodies.append(try Cosmos.ResourceBody(members))
        }
        return bodies
    }

    /// Whether it may go to the service in one batch with others of its partition.
    var mayBeBatched: Bool {
        kind != .batch && resourceType == .document && !partition.isEmpty
            && indexingDirective == nil && preTriggers == nil && postTriggers == nil
    }

    /// Whether the service carries it out once more when it has carried it out already.
    var isUnconditional: Bool {
        switch kind {
        case .create: isUpsert && etag == nil
        case .replace: etag == nil
        case .delete: false
        case .batch: true
        }
    }

    /// The logical partition that it is in.
    var partitionKey: Cosmos.Operation.Partition {
        Cosmos.PartitionKey(headerText: partition).map { .key($0) } ?? .unspecified
    }

    /// The operation that the service is asked to carry out.
    func operation(_ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) -> Cosmos.Operation {
        guard let name else { throw Self.damage }
        let action: Cosmos.Operation.Action =
            switch kind {
            case .create: isUpsert ? .upsert : .create
            case .replace: isUpsert ? .upsert : .replace
            case .delete: .delete
            case .batch: .batch
            }
        let isBelow = action == .create || action == .upsert
        var operation = Cosmos.Operation(
            action, resourceType, at: isBelow ? name.link.parent : name.link)
        if kind == .batch {
            operation.body = try .json(.array(try wireSteps(sealer)))
        } else {
            operation.newId = name.link.name
            operation.body = try wireBody(sealer)
            operation.ifMatch = etag
        }
        operation.partition = partitionKey
        operation.options.indexingDirective = indexingDirective.flatMap {
            Cosmos.IndexingDirective(rawValue: $0)
        }
        operation.options.preTriggers = preTriggers ?? []
        operation.options.postTriggers = postTriggers ?? []
        operation.isSentOnce = true
        operation.needsService = true
        return operation
    }

    private func wireBody(
        _ sealer: Cosmos.Sealer
    ) throws(Cosmos.ClientError) -> Cosmos.Operation.Body {
        guard let content else { return .none }
        let packed = try sealer.opened(content.packed)
        guard let contentType else { return .json(packed) }
        guard let text = try? packed.member(Self.bytesMember),
            let bytes = text.stringValue.flatMap({ Base64Text.bytes($0) })
        else { throw Self.damage }
        return .media(bytes: bytes, contentType: contentType)
    }

    /// The steps of a batch as the service has them.
    private func wireSteps(_ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) -> [JSONValue] {
        let bodies = try bodies(sealer)
        guard let steps, steps.count == bodies.count else { throw Self.damage }
        return zip(steps, bodies).map { Self.wireStep($0, $1) }
    }

    /// Refuses a batch that is too large for one request, with the documents that its patches make.
    func checkSize(_ subject: String, _ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) {
        guard let content, Cosmos.DocumentSize.mayExceed(content.packed.bytes.count),
            case .json(let packed) = try operation(sealer).body
        else { return }
        try Cosmos.DocumentSize.check(packed, subject)
    }

    /// One write of a document as a step of a batch.
    static func wireStep(_ step: Step, _ body: Cosmos.ResourceBody?) -> JSONValue {
        var json: JSONValue = ["id": .string(step.id)]
        switch step.kind {
        case .create: json["operationType"] = step.isUpsert ? "Upsert" : "Create"
        case .replace: json["operationType"] = step.isUpsert ? "Upsert" : "Replace"
        case .delete, .batch: json["operationType"] = "Delete"
        }
        json["ifMatch"] = step.etag.map { .string($0) }
        json["resourceBody"] = body.map { .object($0.json) }
        return json
    }

    /// It as a step of a batch.
    func wireStep(_ sealer: Cosmos.Sealer) throws(Cosmos.ClientError) -> JSONValue {
        guard let name else { throw Self.damage }
        let step = Step(kind: kind, id: name.link.name, isUpsert: isUpsert, etag: etag)
        return Self.wireStep(step, try body(sealer))
    }

    private static var damage: Cosmos.ClientError {
        Cosmos.ClientError(.internalError, "A queued write is damaged and cannot be read.")
    }
}
