import SettleDocuments

/// Says which documents of a model are meant, by conditions on its properties.
///
/// ```swift
/// \Visit.status == .done && \Visit.minutes > 30
/// ```
///
/// Only documents of the model's type are meant. A member that is absent or null is nil: `==` and `!=`
/// answer as they do in Swift, and an absent member fulfils neither `<` nor its opposite. Values compare as
/// the keys of an index do, dates as their texts.
public struct ModelFilter<Model: DocumentModel>: Sendable, Hashable {
    private let condition: JSONValue

    private init(_ condition: JSONValue) {
        self.condition = condition
    }

    fileprivate init(_ path: PartialKeyPath<Model>, _ condition: JSONValue) {
        let names = ModelPath.names(of: path).map { $0.replacing(".", with: "\\.") }
        self.init(.object([names.joined(separator: "."): condition]))
    }

    /// A comparison by one of a filter's operators.
    ///
    /// - Precondition: JSON can express the value.
    fileprivate init(_ path: PartialKeyPath<Model>, _ name: String, _ value: some Encodable) {
        self.init(path, .object([name: Self.json(value)]))
    }

    fileprivate static func json(_ value: some Encodable) -> JSONValue {
        do {
            return try PackedValue(encoding: value, leaves: DocumentCodingLeaves()).value()
        } catch {
            preconditionFailure(
                "A value of type \(type(of: value)) cannot be in a filter: \(error)")
        }
    }

    /// The conditions together with the model's type, as an index takes them.
    public var indexFilter: Database.IndexFilter { Self.documents(self) }

    /// The documents of the model that are meant; nil for all.
    static func documents(_ filter: ModelFilter?) -> Database.IndexFilter {
        let type = JSONValue.object([Document.typeMember: .string(Model.documentType)])
        do {
            return try Database.IndexFilter(
                json: filter.map { .object(["$and": .array([type, $0.condition])]) } ?? type)
        } catch {
            preconditionFailure("The conditions make no filter: \(error)")
        }
    }

    /// Both hold.
    public static func && (left: ModelFilter, right: ModelFilter) -> ModelFilter {
        ModelFilter(.object(["$and": .array([left.condition, right.condition])]))
    }

    /// One of the two holds, or both.
    public static func || (left: ModelFilter, right: ModelFilter) -> ModelFilter {
        ModelFilter(.object(["$or": .array([left.condition, right.condition])]))
    }

    /// The opposite condition.
    public static prefix func ! (filter: ModelFilter) -> ModelFilter {
        ModelFilter(.object(["$nor": .array([filter.condition])]))
    }
}

extension KeyPath where Root: DocumentModel, Value: Encodable {
    /// The property has one of the values.
    public func isOne(of values: [Value]) -> ModelFilter<Root> {
        ModelFilter(self, .object(["$exists": true, "$in": ModelFilter<Root>.json(values)]))
    }

    /// The property is this value; for nil, its member is absent or null.
    public static func == (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        let json = ModelFilter<Root>.json(value)
        let isThere = ModelFilter(path, .object(["$exists": true, "$eq": json]))
        return json.isNull ? isThere || ModelFilter(path, .object(["$exists": false])) : isThere
    }

    /// The property is another value; for nil, its member is there and not null.
    public static func != (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        !(path == value)
    }

    /// The property is less.
    public static func < (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, "$lt", value)
    }

    /// The property is less or equal.
    public static func <= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, "$lte", value)
    }

    /// The property is greater.
    public static func > (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, "$gt", value)
    }

    /// The property is greater or equal.
    public static func >= (path: KeyPath<Root, Value>, value: Value) -> ModelFilter<Root> {
        ModelFilter(path, "$gte", value)
    }
}
