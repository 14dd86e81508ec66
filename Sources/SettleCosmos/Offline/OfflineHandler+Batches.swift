import Settle
import SettleDocuments

// Batches stay whole: they are applied here as the service would, and queued as one.

extension Cosmos.OfflineHandler {
    /// One operation of a batch as the service has it.
    struct BatchStep {
        var action: Operation.Action
        var id: String
        var etag: String?
        var body: JSONValue?

        init?(_ json: JSONValue) {
            let body = json["resourceBody"]
            guard let id = json["id"]?.stringValue ?? body?["id"]?.stringValue else { return nil }
            switch json["operationType"]?.stringValue {
            case "Create": action = .create
            case "Upsert": action = .upsert
            case "Replace": action = .replace
            case "Patch": action = .patch
            case "Delete": action = .delete
            case "Read": action = .get
            default: return nil
            }
            self.id = id
            self.body = body
            etag = json["ifMatch"]?.stringValue
        }
    }

    /// Applies a batch to the cache and queues it.
    static func queueBatch(
        _ operation: Operation, _ names: [Name], _ isUncertain: Bool, _ writer: Cosmos.OfflineWriter
    ) throws -> (Response, [Cosmos.OfflineWriter.Applied]) {
        guard case .json(let packed) = operation.body, let link = names.first?.link.parent,
            let steps = try packed.value().arrayValue?.compactMap({ BatchStep($0) }),
            steps.count == names.count
        else { throw noNetwork(operation) }
        var write = Cosmos.QueuedWrite(
            .batch, .document, link, partition: operation.partition.keyText)
        write.isUncertain = isUncertain
        write.steps = []
        var written: [Name: String?] = [:]
        var bodies: [Cosmos.ResourceBody?] = []
        var results: [JSONValue] = []
        var all: [Cosmos.OfflineWriter.Applied] = []
        for (index, step) in steps.enumerated() {
            let name = names[index]
            if step.action == .get {
                results.append(try read(name, operation, writer))
                continue
            }
            var change = Cosmos.OfflineWriter.Change(
                action: step.action, name: name,
                subject: "carry out operation \(index + 1) of a batch of \(steps.count)")
            change.body = try step.body.map { try PackedValue($0) }
            change.ifMatch = step.etag
            change.written = written
            let applied = try writer.apply(change)
            written[name] = .some(applied.write.localEtag)
            write.steps?.append(
                Cosmos.QueuedWrite.Step(
                    kind: applied.write.kind, id: step.id, isUpsert: applied.write.isUpsert,
                    etag: applied.write.etag, localEtag: applied.write.localEtag))
            bodies.append(try applied.write.body(writer.cache.sealer))
            results.append(result(applied))
            all.append(applied)
        }
        if write.steps?.isEmpty == false {
            write.content = try Cosmos.QueuedWrite.content(ofBodies: bodies, writer.cache.sealer)
            try write.checkSize(operation.subject, writer.cache.sealer)
            try writer.enqueue(write)
        }
        return (
            Response(
                status: 200,
                content: .feed(try results.map { try PackedValue($0) }, resourceId: ""),
                fromCache: true), all
        )
    }

    private static func read(
        _ name: Name, _ operation: Operation, _ writer: Cosmos.OfflineWriter
    ) throws -> JSONValue {
        guard let record = try writer.cache.reader.record(of: name) else {
            throw noNetwork(operation)
        }
        return result(
            Cosmos.OfflineWriter.Applied(
                status: 200, record: record,
                write: Cosmos.QueuedWrite(
                    .batch, .document, name.link, partition: name.partition)))
    }

    private static func result(_ applied: Cosmos.OfflineWriter.Applied) -> JSONValue {
        var result: JSONValue = ["statusCode": .integer(Int64(applied.status))]
        guard let body = applied.record?.body else { return result }
        result["eTag"] = body.etag.map { .string($0) }
        result["resourceBody"] = .object(body.json)
        return result
    }

    /// What the results of a batch that the service has carried out make of the cache.
    static func changes(
        _ operation: Operation, _ response: Response, in link: Cosmos.Link
    ) -> [(Name, Cosmos.ResourceBody?)] {
        guard response.status == 200, case .feed(let elements, _) = response.content,
            case .json(let packed) = operation.body,
            let steps = try? packed.value().arrayValue, steps.count == elements.count
        else { return [] }
        let key = operation.partition.keyText
        return zip(steps, elements).compactMap { step, element in
            guard let step = BatchStep(step), step.action != .get else { return nil }
            let name = Name(link.child(.document, step.id), partition: key)
            return (name, Cosmos.BatchResult(element).resource)
        }
    }
}
