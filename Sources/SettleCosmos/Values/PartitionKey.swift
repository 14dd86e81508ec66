import SettleDocuments

extension Cosmos {
    /// The value that says in which logical partition of a collection a document is.
    ///
    /// A text is one: `withPartitionKey: "Berlin"`. A collection with a hierarchical key has one component
    /// for each of its paths, and a query or list may leave out the last ones:
    /// `PartitionKey("tenant-1", "user-7")`.
    public struct PartitionKey: Sendable, Hashable {
        /// One value of a key.
        public enum Component: Sendable, Hashable {
            /// A text.
            case string(String)
            /// A number.
            case number(Double)
            /// `true` or `false`.
            case bool(Bool)
            /// `null`.
            case null
            /// The document has no such member.
            case undefined

            fileprivate var json: JSONValue {
                switch self {
                case .string(let text): .string(text)
                case .number(let number):
                    Int64(exactly: number).map { .integer($0) } ?? .double(number)
                case .bool(let flag): .bool(flag)
                case .null: .null
                case .undefined: .object([:])
                }
            }
        }

        /// The values, the outermost first; never empty.
        public let components: [Component]

        /// A key.
        ///
        /// - Precondition: There is a component, and numbers are finite.
        public init(components: [Component]) {
            precondition(!components.isEmpty, "A partition key has a component.")
            for case .number(let number) in components {
                precondition(number.isFinite, "A number of a partition key is finite.")
            }
            self.components = components
        }

        /// A key of texts, of which a hierarchical one has several.
        public init(_ first: String, _ others: String...) {
            self.init(components: ([first] + others).map { .string($0) })
        }

        /// A key that is a number.
        ///
        /// - Precondition: It is finite.
        public init(_ number: Double) { self.init(components: [.number(number)]) }

        /// A key that is `true` or `false`.
        public init(_ flag: Bool) { self.init(components: [.bool(flag)]) }

        /// The key of documents whose member is `null`.
        public static let null = PartitionKey(components: [.null])

        /// The key of documents that have no such member.
        public static let undefined = PartitionKey(components: [.undefined])

        /// The key as a JSON array in the characters of ASCII, as a header has it.
        var headerText: String {
            let text = JSONValue.array(components.map(\.json)).jsonText
            return text.unicodeScalars.allSatisfy(\.isASCII) ? text : Self.escaped(text)
        }

        /// Reads a key as a header has it; nil when it is no array of values that a key can have.
        init?(headerText: String) {
            guard let values = (try? JSONValue(jsonText: headerText))?.arrayValue, !values.isEmpty
            else { return nil }
            var components: [Component] = []
            for value in values {
                switch value {
                case .string(let text): components.append(.string(text))
                case .integer(let number): components.append(.number(Double(number)))
                case .double(let number): components.append(.number(number))
                case .bool(let flag): components.append(.bool(flag))
                case .null: components.append(.null)
                case .object(let members) where members.isEmpty: components.append(.undefined)
                case .object, .array: return nil
                }
            }
            self.components = components
        }

        private static func escaped(_ text: String) -> String {
            var escaped = ""
            for unit in text.utf16 {
                if unit < 0x80, let scalar = Unicode.Scalar(unit) {
                    escaped.unicodeScalars.append(scalar)
                } else {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
            return escaped
        }
    }
}

extension Cosmos.PartitionKey: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// A key that is a text.
    public init(stringLiteral value: String) { self.init(value) }

    /// A key that is a number.
    public init(integerLiteral value: Int) { self.init(Double(value)) }

    /// A key that is a number.
    public init(floatLiteral value: Double) { self.init(value) }

    /// A key that is `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(value) }
}
