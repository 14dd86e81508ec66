import SettleDocuments

extension Cosmos {
    /// Carries out a patch on a document that this device keeps, as the service would.
    ///
    /// > Source: "Partial document update" in the documentation of Cosmos DB.
    struct PatchApplication {
        private enum Verb: String {
            case add, set, replace, remove, move
            case increment = "incr"
        }

        private let subject: String

        /// - Parameter subject: What is asked for, as in "change the document 'a'".
        init(_ subject: String) { self.subject = subject }

        /// A document after the operations of a patch.
        ///
        /// - Parameters:
        ///   - patch: The body of the request.
        ///   - document: The document.
        /// - Returns: The document as it is then.
        /// - Throws: ``ClientError`` with `badRequest` when an operation cannot be carried out; `unreachable` when the patch
        ///   has a condition, which only the service can check.
        func apply(
            _ patch: JSONValue, to document: JSONValue
        ) throws(ClientError) -> JSONValue {
            if patch["condition"] != nil {
                throw ClientError(
                    .unreachable,
                    "There is no network to \(subject), and its condition can only be checked by the service."
                )
            }
            var document = document
            for operation in patch["operations"]?.arrayValue ?? [] {
                try apply(operation, to: &document)
            }
            return document
        }

        private func apply(
            _ operation: JSONValue, to document: inout JSONValue
        ) throws(ClientError) {
            guard let verb = operation["op"]?.stringValue.flatMap({ Verb(rawValue: $0) }),
                let path = Self.names(operation["path"])
            else { throw refused("it has no operation or path that is known") }
            let value = operation["value"] ?? .null
            let old = Self.value(at: path, in: document)
            switch verb {
            case .add: try put(value, at: path[...], in: &document, inserts: true)
            case .set: try put(value, at: path[...], in: &document, inserts: false)
            case .replace:
                guard old != nil else { throw missing(path) }
                try put(value, at: path[...], in: &document, inserts: false)
            case .remove: try remove(path[...], from: &document)
            case .increment:
                try put(sum(old, value), at: path[...], in: &document, inserts: false)
            case .move:
                guard let from = Self.names(operation["from"]),
                    let moved = Self.value(at: from, in: document)
                else { throw missing(path) }
                try remove(from[...], from: &document)
                try put(moved, at: path[...], in: &document, inserts: true)
            }
        }

        private func sum(_ old: JSONValue?, _ step: JSONValue) throws(ClientError) -> JSONValue {
            guard let old else { return step }
            if let old = old.integerValue, let step = step.integerValue {
                let (sum, overflows) = old.addingReportingOverflow(step)
                if !overflows { return .integer(sum) }
            }
            guard let old = old.doubleValue, let step = step.doubleValue, (old + step).isFinite
            else { throw refused("what it increments is no number") }
            return .double(old + step)
        }

        private static func names(_ path: JSONValue?) -> [String]? {
            guard let text = path?.stringValue, text.hasPrefix("/"), text.count > 1 else {
                return nil
            }
            return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
                String($0).replacing("~1", with: "/").replacing("~0", with: "~")
            }
        }

        private static func value(at path: [String], in document: JSONValue) -> JSONValue? {
            path.reduce(document as JSONValue?) { value, name in
                value?.arrayValue == nil ? value?[name] : Int(name).flatMap { value?[$0] }
            }
        }

        private func put(
            _ value: JSONValue, at path: ArraySlice<String>, in target: inout JSONValue,
            inserts: Bool
        ) throws(ClientError) {
            guard let name = path.first else {
                target = value
                return
            }
            let rest = path.dropFirst()
            if var members = target.objectValue {
                var inner = members[name] ?? .null
                guard rest.isEmpty || members[name] != nil else { throw missing(Array(path)) }
                try put(value, at: rest, in: &inner, inserts: inserts)
                members[name] = inner
                target = .object(members)
                return
            }
            guard var elements = target.arrayValue,
                let index = name == "-" ? elements.count : Int(name),
                (0...elements.count).contains(index), rest.isEmpty || index < elements.count
            else { throw missing(Array(path)) }
            if rest.isEmpty, inserts || index == elements.count {
                elements.insert(value, at: index)
            } else {
                try put(value, at: rest, in: &elements[index], inserts: inserts)
            }
            target = .array(elements)
        }

        private func remove(
            _ path: ArraySlice<String>, from target: inout JSONValue
        ) throws(ClientError) {
            guard let name = path.first else { return }
            let rest = path.dropFirst()
            if var members = target.objectValue, var inner = members[name] {
                if rest.isEmpty {
                    members[name] = nil
                } else {
                    try remove(rest, from: &inner)
                    members[name] = inner
                }
                target = .object(members)
            } else if var elements = target.arrayValue, let index = Int(name),
                elements.indices.contains(index)
            {
                if rest.isEmpty {
                    elements.remove(at: index)
                } else {
                    try remove(rest, from: &elements[index])
                }
                target = .array(elements)
            } else {
                throw missing(Array(path))
            }
        }

        private func missing(_ path: [String]) -> ClientError {
            refused("there is nothing at '/\(path.joined(separator: "/"))'")
        }

        private func refused(_ reason: String) -> ClientError {
            ClientError(.badRequest, "It is not possible to \(subject): \(reason).")
        }
    }
}
