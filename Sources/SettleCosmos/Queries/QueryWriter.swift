import SettleDocuments

extension Cosmos {
    /// Writes the text of a query.
    struct QueryWriter {
        /// The name that the documents have in the query.
        let root: String
        /// Whether values become parameters.
        let usesParameters: Bool
        private(set) var parameters: [Query.Parameter] = []

        init(root: String, usesParameters: Bool) {
            self.root = root
            self.usesParameters = usesParameters
        }

        /// A member of the documents.
        func path(_ path: String) -> String {
            root + path.split(separator: ".").map { Self.step(String($0)) }.joined()
        }

        /// A name behind a point, or in brackets where it would be read as something else.
        private static func step(_ name: String) -> String {
            isIdentifier(name) && !keywords.contains(name.lowercased())
                ? ".\(name)" : "[\(JSONValue.string(name).jsonText)]"
        }

        /// Whether a text is a name in the language.
        static func isIdentifier(_ name: String) -> Bool {
            guard let first = name.utf8.first, isLetter(first) else { return false }
            return name.utf8.allSatisfy {
                isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == UInt8(ascii: "_")
        }

        /// Words of the language that are no names.
        static let keywords: Set = [
            "all", "and", "any", "array", "as", "asc", "between", "by", "case", "cast", "convert",
            "cross", "desc", "distinct", "else", "end", "escape", "exists", "false", "for", "from",
            "full", "group", "having", "if", "in", "inner", "insert", "into", "is", "join", "left",
            "like", "limit", "not", "null", "offset", "on", "or", "order", "outer", "over", "rank",
            "right", "select", "set", "then", "top", "true", "udf", "undefined", "union", "update",
            "value", "when", "where", "with",
        ]

        /// A value, or the name of the parameter that has it.
        private mutating func value(_ value: JSONValue) -> String {
            guard usesParameters else { return value.jsonText }
            let name = "@p\(parameters.count)"
            parameters.append(Query.Parameter(name, value))
            return name
        }

        /// A condition.
        mutating func text(of condition: Condition) -> String {
            switch condition.form {
            case .comparison(let path, let comparison, let value):
                return "\(self.path(path)) \(comparison.rawValue) \(self.value(value))"
            case .member(let path, let values):
                if values.isEmpty { return "false" }
                let list = values.map { value($0) }.joined(separator: ", ")
                return "\(self.path(path)) IN (\(list))"
            case .distance(let path, let shape, let comparison, let metres):
                let limit = value(.double(metres))
                return "ST_DISTANCE(\(self.path(path)), \(shape)) \(comparison.rawValue) \(limit)"
            case .within(let path, let shape):
                return "ST_WITHIN(\(self.path(path)), \(shape))"
            case .intersects(let path, let shape):
                return "ST_INTERSECTS(\(self.path(path)), \(shape))"
            case .both(let left, let right):
                return "\(part(left, of: .both)) AND \(part(right, of: .both))"
            case .either(let left, let right):
                return "\(part(left, of: .either)) OR \(part(right, of: .either))"
            }
        }

        private enum Connective {
            case both, either
        }

        /// A part of a condition, in parentheses where the words would bind it otherwise.
        private mutating func part(_ condition: Condition, of connective: Connective) -> String {
            let text = text(of: condition)
            return switch (condition.form, connective) {
            case (.both, .either), (.either, .both): "(\(text))"
            default: text
            }
        }
    }
}
