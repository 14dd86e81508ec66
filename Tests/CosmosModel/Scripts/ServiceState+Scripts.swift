import SettleDocuments

extension ServiceState {
    /// Runs a stored procedure.
    mutating func execute(
        _ item: StoredResource, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> ServiceResponse {
        guard let definition = collections[collection]?.definition else {
            throw .notFound("collection")
        }
        let header = exchange.request[.partitionKey]
        let key = try definition.value(ofHeader: header)
        let body = exchange.request.body.isEmpty ? .array([]) : try exchange.request.json()
        guard let arguments = body.arrayValue else {
            throw .badRequest("The body of an execution is an array of arguments.")
        }
        guard let procedure = configuration.scripts.procedures[item.id] else {
            throw .badRequest("The script '\(item.id)' fails: the model has nothing for it.")
        }
        let numbers = feeds[FeedKey(parent: collection, kind: .documents)]?.numbers ?? []
        let documents = numbers.compactMap { resources[$0] }
            .filter { $0.key == key && !isExpired($0, at: exchange.timestamp) }
        let result: ScriptResult
        do {
            result = try procedure(
                ScriptInvocation(
                    id: item.id, arguments: arguments, documents: documents.map(\.body)))
        } catch {
            throw .badRequest("The script '\(item.id)' fails: \(error)")
        }
        let before = self
        for body in result.upserts {
            let write = DocumentWrite(
                body: body, size: body.jsonText.utf8.count, header: header, exchange: exchange,
                ifMatch: nil)
            do throws(ServiceFailure) { _ = try upsert(write, in: collection) } catch {
                self = before
                throw error
            }
        }
        var response = ServiceResponse(status: 200, json: result.value)
        if exchange.request.isTrue(.scriptLogging) {
            response[.scriptLog] = result.log.addingEscapes
        }
        response[.requestCharge] = "12.5"
        response[.sessionToken] = sessionToken(of: key, in: collection)
        return response
    }

    private func sessionToken(of key: PartitionKeyValue, in collection: UInt64) -> String? {
        guard let state = collections[collection] else { return nil }
        let range = state.range(of: EffectiveKey.text(of: key, in: state.definition))
        return "\(range.id):-1#\(state.sequence)"
    }

    /// What triggers named in a request make of a document.
    func triggered(
        _ body: JSONValue, by header: HeaderName, in collection: UInt64, _ exchange: Exchange
    ) throws(ServiceFailure) -> JSONValue {
        guard let names = exchange.request[header] else { return body }
        var body = body
        for name in names.split(separator: ",").map(String.init) {
            let feed = feeds[FeedKey(parent: collection, kind: .triggers)]
            guard feed?.numbersByName[ResourceName(id: name)] != nil,
                let trigger = configuration.scripts.triggers[name]
            else { throw .badRequest("There is no trigger '\(name)'.") }
            do { body = try trigger(body) } catch {
                throw .badRequest("The trigger '\(name)' fails: \(error)")
            }
        }
        return body
    }
}

extension String {
    /// The text as it may be in a header: percent-encoded.
    var addingEscapes: String {
        utf8.map { byte in
            let isPlain = (33...126).contains(byte) && byte != UInt8(ascii: "%")
            if isPlain { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
