import SettleDocuments

extension Cosmos.ChangePosition {
    /// What the text begins with; another layout would begin otherwise.
    private static let layout = "c1:"

    /// The position as text; Docs/Formats/CosmosContinuations.md has its parts.
    var text: String {
        let json: JSONValue = [
            "collection": .string(collectionId), "parts": .array(parts.map(\.json)),
        ]
        return Self.layout + json.jsonText
    }

    /// Reads a position; nil when the text is none.
    init?(_ text: String) {
        guard text.hasPrefix(Self.layout),
            let json = try? JSONValue(jsonText: String(text.dropFirst(Self.layout.count))),
            let collectionId = json["collection"]?.stringValue,
            let list = json["parts"]?.arrayValue, !list.isEmpty
        else { return nil }
        self.collectionId = collectionId
        parts = []
        for json in list {
            guard let part = Part(json) else { return nil }
            parts.append(part)
        }
    }
}

extension Cosmos.ChangePosition.Part {
    fileprivate var json: JSONValue {
        var json: JSONValue = [:]
        switch scope {
        case .range(let id): json["range"] = .string(id)
        case .key(let key): json["key"] = .string(key.headerText)
        }
        switch place {
        case .beginning: break
        case .now: json["now"] = true
        case .since(let second): json["since"] = .integer(second)
        case .after(let continuation): json["after"] = .string(continuation)
        }
        json["session"] = session.map { .string($0) }
        if isPending { json["pending"] = true }
        return json
    }

    fileprivate init?(_ json: JSONValue) {
        if let id = json["range"]?.stringValue {
            scope = .range(id)
        } else if let text = json["key"]?.stringValue,
            let key = Cosmos.PartitionKey(headerText: text)
        {
            scope = .key(key)
        } else {
            return nil
        }
        if let continuation = json["after"]?.stringValue {
            place = .after(continuation)
        } else if let second = json["since"]?.integerValue {
            place = .since(second)
        } else {
            place = json["now"] == true ? .now : .beginning
        }
        session = json["session"]?.stringValue
        isPending = json["pending"] == true
    }
}
