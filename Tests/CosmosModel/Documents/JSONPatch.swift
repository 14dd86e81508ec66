import SettleDocuments

/// One operation of a patch.
///
/// > Source: Azure Cosmos DB, "Partial document update".
struct JSONPatchOperation {
    private enum Verb: String { case add, set, replace, remove, incr, move }

    /// The most operations of a patch.
    static let countMax = 10

    private let verb: Verb
    private let path: [String]
    private let from: [String]
    private let value: JSONValue

    /// Reads an operation.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it is none.
    init(_ json: JSONValue) throws(ServiceFailure) {
        let name = json["op"]?.stringValue?.lowercased() ?? ""
        guard let verb = Verb(rawValue: name == "increment" ? "incr" : name) else {
            throw .badRequest("The operation '\(name)' of the patch is unknown.")
        }
        self.verb = verb
        path = try Self.names(json["path"])
        from = verb == .move ? try Self.names(json["from"]) : []
        guard let value = json["value"] ?? (verb == .remove || verb == .move ? .null : nil) else {
            throw .badRequest("The operation '\(name)' of the patch has no value.")
        }
        self.value = value
    }

    private static func names(_ path: JSONValue?) throws(ServiceFailure) -> [String] {
        guard let text = path?.stringValue, text.hasPrefix("/"), text.count > 1 else {
            throw .badRequest("The path of a patch begins with a slash.")
        }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// Applies the operation.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when the document has no such place.
    func apply(to document: inout JSONValue) throws(ServiceFailure) {
        switch verb {
        case .add: document = try Self.put(value, at: path[...], in: document, inserts: true)
        case .set: document = try Self.put(value, at: path[...], in: document, inserts: false)
        case .replace:
            guard Self.value(at: path, in: document) != nil else { throw Self.missing(path) }
            document = try Self.put(value, at: path[...], in: document, inserts: false)
        case .remove: document = try Self.remove(path[...], from: document)
        case .incr: try increment(&document)
        case .move:
            guard let moved = Self.value(at: from, in: document) else { throw Self.missing(from) }
            document = try Self.remove(from[...], from: document)
            document = try Self.put(moved, at: path[...], in: document, inserts: true)
        }
    }

    private func increment(_ document: inout JSONValue) throws(ServiceFailure) {
        guard let step = value.doubleValue else {
            throw .badRequest("An increment is a number.")
        }
        var result = value
        if let old = Self.value(at: path, in: document) {
            guard let number = old.doubleValue else {
                throw .badRequest("What is incremented is no number.")
            }
            result = QueryScope.number(number + step)
        }
        document = try Self.put(result, at: path[...], in: document, inserts: false)
    }

    private static func missing(_ path: [String]) -> ServiceFailure {
        .badRequest("The document has nothing at '/\(path.joined(separator: "/"))'.")
    }

    private static func value(at path: [String], in document: JSONValue) -> JSONValue? {
        path.reduce(document as JSONValue?) { value, name in
            value?.arrayValue == nil ? value?[name] : Int(name).flatMap { value?[$0] }
        }
    }

    private static func put(
        _ value: JSONValue, at path: ArraySlice<String>, in target: JSONValue, inserts: Bool
    ) throws(ServiceFailure) -> JSONValue {
        guard let name = path.first else { return value }
        let rest = path.dropFirst()
        switch target {
        case .object(var members):
            guard let inner = members[name] ?? (rest.isEmpty ? .null : nil) else {
                throw missing(Array(path))
            }
            members[name] = try put(value, at: rest, in: inner, inserts: inserts)
            return .object(members)
        case .array(var elements):
            let end = elements.count
            guard let index = name == "-" ? end : Int(name), (0...end).contains(index),
                rest.isEmpty || index < end
            else { throw missing(Array(path)) }
            if rest.isEmpty, inserts || index == end {
                elements.insert(value, at: index)
            } else {
                elements[index] = try put(value, at: rest, in: elements[index], inserts: inserts)
            }
            return .array(elements)
        default: throw missing(Array(path))
        }
    }

    private static func remove(
        _ path: ArraySlice<String>, from target: JSONValue
    ) throws(ServiceFailure) -> JSONValue {
        guard let name = path.first else { return target }
        let rest = path.dropFirst()
        switch target {
        case .object(var members):
            guard let inner = members[name] else { throw missing(Array(path)) }
            members[name] = rest.isEmpty ? nil : try remove(rest, from: inner)
            return .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else {
                throw missing(Array(path))
            }
            if rest.isEmpty {
                elements.remove(at: index)
            } else {
                elements[index] = try remove(rest, from: elements[index])
            }
            return .array(elements)
        default: throw missing(Array(path))
        }
    }
}
