/// Encodes one value into JSON that is packed when everything is there.
///
/// A value may hold several containers and fill them in turns, so they are objects, and the
/// packed form, which needs them in order, is made at the end.
final class PackedEncoder: Encoder {
    /// What all encoders of one value share.
    final class Context: Sendable {
        let leaves: (any PackedCodingLeaves)?
        let userInfo: [CodingUserInfoKey: any Sendable]
        let limits: JSONLimits

        init(
            leaves: (any PackedCodingLeaves)?, userInfo: [CodingUserInfoKey: any Sendable],
            limits: JSONLimits
        ) {
            self.leaves = leaves
            self.userInfo = userInfo
            self.limits = limits
        }
    }

    /// What has been encoded so far.
    enum Content {
        case leaf(JSONValue)
        case object(Members)
        case array(Elements)
        /// Filled by whoever got this encoder for a superclass.
        case later(PackedEncoder)

        /// The JSON; an encoder that nobody used stands for an empty object.
        func resolved() -> JSONValue {
            switch self {
            case .leaf(let json): json
            case .object(let members): .object(members.contents.mapValues { $0.resolved() })
            case .array(let elements): .array(elements.contents.map { $0.resolved() })
            case .later(let encoder): encoder.content?.resolved() ?? .object([:])
            }
        }
    }

    final class Members {
        var contents: [String: Content] = [:]
    }

    final class Elements {
        var contents: [Content] = []
    }

    let context: Context
    let path: CodingPath
    let depth: Int
    private(set) var content: Content?

    init(_ context: Context, at path: CodingPath, depth: Int) {
        self.context = context
        self.path = path
        self.depth = depth
    }

    var codingPath: [any CodingKey] { path.keys }

    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(PackedKeyedEncoding(encoder: self, members: members()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        PackedUnkeyedEncoding(encoder: self, elements: elements())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        PackedSingleEncoding(encoder: self)
    }

    private func members() -> Members {
        switch content {
        case nil:
            let members = Members()
            content = .object(members)
            return members
        case .object(let members)?: return members
        default: preconditionFailure("A value encodes itself into one kind of container.")
        }
    }

    private func elements() -> Elements {
        switch content {
        case nil:
            let elements = Elements()
            content = .array(elements)
            return elements
        case .array(let elements)?: return elements
        default: preconditionFailure("A value encodes itself into one kind of container.")
        }
    }

    func set(_ content: Content) {
        precondition(self.content == nil, "A value encodes itself into one single value.")
        self.content = content
    }

    /// An encoder for a value inside this one.
    func inner(_ key: any CodingKey) -> PackedEncoder {
        PackedEncoder(context, at: .inside(path, key), depth: depth + 1)
    }

    // MARK: Values

    /// What a value encodes itself to, here; nil when that is nothing.
    func json(of value: some Encodable) throws -> Content? {
        if let value = value as? String { return .leaf(.string(value)) }
        if let leaves = context.leaves, leaves.handles(type(of: value)) {
            guard let json = leaves.encode(value) else {
                // Not the value: a date that has no form ends the process where it is described.
                let type = type(of: value)
                throw invalid(type, "The \(type) has no form in JSON.", at: nil)
            }
            return .leaf(json)
        }
        // A chain of values may be longer than the stack of a thread.
        guard depth <= context.limits.depthMax else {
            throw invalid(value, "Values are nested too deep; flatten them.", at: nil)
        }
        try value.encode(to: self)
        return content
    }

    /// What a member or an element encodes itself to; an empty object when that is nothing.
    func json(of value: some Encodable, at key: any CodingKey) throws -> Content {
        try inner(key).json(of: value) ?? .leaf(.object([:]))
    }

    func json(of value: some FixedWidthInteger, at key: (any CodingKey)?) throws -> Content {
        guard let integer = Int64(exactly: value) else {
            throw invalid(
                value, "A whole number does not fit into 64 bits with a sign; use a string.",
                at: key)
        }
        return .leaf(.integer(integer))
    }

    func json(of value: Double, at key: (any CodingKey)?) throws -> Content {
        guard value.isFinite else {
            throw invalid(
                value, "A number is NaN or infinite, which JSON cannot say; use null or a string.",
                at: key)
        }
        return .leaf(.double(value))
    }

    /// The shortest number that reads back as the same Float: 0.1, not 0.10000000149011612.
    func json(of value: Float, at key: (any CodingKey)?) throws -> Content {
        if let short = Double(value.description), Float(short) == value {
            return try json(of: short, at: key)
        }
        return try json(of: Double(value), at: key)
    }

    private func invalid(_ value: Any, _ text: String, at key: (any CodingKey)?) -> EncodingError {
        let path: CodingPath = if let key { .inside(path, key) } else { path }
        return .invalidValue(
            value, EncodingError.Context(codingPath: path.keys, debugDescription: text))
    }
}
