/// Decodes one packed value; containers read their fields when they are asked for.
final class PackedDecoder: Decoder {
    /// What all decoders of one value share.
    final class Source: Sendable {
        let bytes: [UInt8]
        let leaves: (any PackedCodingLeaves)?
        let hasLeaves: Bool
        let userInfo: [CodingUserInfoKey: any Sendable]
        /// A member that the outermost object has beside its own.
        let added: Added?

        struct Added: Sendable {
            let name: ByteName
            let value: String
        }

        init(
            bytes: [UInt8], leaves: (any PackedCodingLeaves)?,
            userInfo: [CodingUserInfoKey: any Sendable],
            added: Added? = nil
        ) {
            self.added = added
            self.bytes = bytes
            self.leaves = leaves
            hasLeaves = leaves != nil
            self.userInfo = userInfo
        }

        /// Stands in for a member that is absent where a decoder of its own is asked for.
        static let null = Source(bytes: [PackedTag.null], leaves: nil, userInfo: [:])
    }

    let source: Source
    let range: Range<Int>
    let path: CodingPath
    let depth: Int
    /// Where the members lie, once the value was opened as an object.
    private(set) var members: PackedMembers?

    init(_ source: Source, _ range: Range<Int>, at path: CodingPath, depth: Int) {
        self.source = source
        self.range = range
        self.path = path
        self.depth = depth
    }

    var codingPath: [any CodingKey] { path.keys }

    var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        if members == nil {
            let content = try content(range, at: nil)
            guard case .object(let members) = content else {
                throw mismatch([String: Any].self, content, at: nil)
            }
            self.members = members
        }
        return KeyedDecodingContainer(PackedKeyedDecoding(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try PackedUnkeyedDecoding(self, range)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        PackedSingleDecoding(decoder: self)
    }

    /// A decoder for a value inside this one.
    func inner(_ range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?) throws
        -> PackedDecoder
    {
        // A hostile document may be nested deeper than the stack of a thread.
        guard depth <= PackedForm.depthMax else {
            throw corrupted(PackedError(.tooDeep, at: range.lowerBound), at: key())
        }
        return PackedDecoder(source, range, at: path(to: key()), depth: depth + 1)
    }

    /// A decoder for a member that is absent, as if it were null.
    func absent(_ key: any CodingKey) -> PackedDecoder {
        PackedDecoder(.null, 0..<1, at: path(to: key), depth: depth + 1)
    }

    func path(to key: (any CodingKey)?) -> CodingPath {
        if let key { .inside(path, key) } else { path }
    }

    // MARK: Values

    func content(_ range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?) throws
        -> PackedForm.Content
    {
        let bytes = source.bytes
        do throws(PackedError) {
            return try PackedForm.whole(of: bytes.span, in: range)
        } catch { throw corrupted(error, at: key()) }
    }

    func isNull(_ range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?) throws -> Bool {
        if case .null = try content(range, at: key()) { true } else { false }
    }

    func decode(
        _ type: Bool.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Bool {
        let content = try content(range, at: key())
        guard case .bool(let value) = content else { throw mismatch(type, content, at: key()) }
        return value
    }

    func decode(
        _ type: String.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> String {
        let bytes = source.bytes
        do throws(PackedError) {
            if let text = try PackedForm.string(of: bytes.span, in: range) { return text }
        } catch { throw corrupted(error, at: key()) }
        throw mismatch(type, try content(range, at: key()), at: key())
    }

    func decode<Number: FixedWidthInteger>(
        integer type: Number.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Number {
        let bytes = source.bytes
        if let small = PackedForm.smallInteger(bytes.span, in: range),
            let number = Number(exactly: small)
        {
            return number
        }
        let content = try content(range, at: key())
        let number: Number?
        switch content {
        case .integer(let value): number = Number(exactly: value)
        case .double(let value): number = Number(exactly: value)
        default: throw mismatch(type, content, at: key())
        }
        guard let number else { throw unfit(type, at: key()) }
        return number
    }

    func decode(
        _ type: Double.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Double {
        let content = try content(range, at: key())
        switch content {
        case .integer(let value): return Double(value)
        case .double(let value): return value
        default: throw mismatch(type, content, at: key())
        }
    }

    func decode(
        _ type: Float.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Float {
        let value = Float(try decode(Double.self, in: range, at: key()))
        guard value.isFinite else { throw unfit(type, at: key()) }
        return value
    }

    func decode<Value: Decodable>(
        _ type: Value.Type, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        if let usual = UsualType(type) { return try decode(usual, in: range, at: key()) }
        if source.hasLeaves, let leaves = source.leaves, leaves.handles(type) {
            return try decode(type, by: leaves, in: range, at: key())
        }
        return try Value(from: inner(range, at: key()))
    }

    /// Types that come this way as elements and as members; a decoder of their own would cost most.
    private enum UsualType {
        case strings, string, integer, double

        /// Kept, because the runtime looks up the type of an array each time it is named.
        private static let typeOfStrings: any Any.Type = [String].self

        init?(_ type: any Any.Type) {
            if type == Self.typeOfStrings {
                self = .strings
            } else if type == String.self {
                self = .string
            } else if type == Int.self {
                self = .integer
            } else if type == Double.self {
                self = .double
            } else {
                return nil
            }
        }
    }

    /// A function of its own, because the optional of the type is looked up wherever a cast to it stands.
    @inline(never)
    private func decode<Value>(
        _ usual: UsualType, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        let value: Any =
            switch usual {
            case .strings: try strings(in: range, at: key())
            case .string: try decode(String.self, in: range, at: key())
            case .integer: try decode(integer: Int.self, in: range, at: key())
            case .double: try decode(Double.self, in: range, at: key())
            }
        guard let value = value as? Value else {
            preconditionFailure("A usual type is told by its identity.")
        }
        return value
    }

    private func strings(in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?) throws
        -> [String]
    {
        let content = try content(range, at: key())
        guard case .array(let area) = content else {
            throw mismatch([Any].self, content, at: key())
        }
        let bytes = source.bytes
        var strings: [String] = []
        strings.reserveCapacity(PackedForm.elementCount(bytes.span, in: area, atMost: 64))
        var next = area.lowerBound
        while next < area.upperBound {
            let element: (content: PackedForm.Content, end: Int)
            do throws(PackedError) {
                element = try PackedForm.content(of: bytes.span, in: next..<area.upperBound)
                if case .string(let text) = element.content {
                    strings.append(try PackedForm.utf8(of: bytes.span, in: text))
                    next = element.end
                    continue
                }
            } catch {
                throw try inner(range, at: key()).corrupted(
                    error, at: PlainKey(index: strings.count))
            }
            throw try inner(range, at: key()).mismatch(
                String.self, element.content, at: PlainKey(index: strings.count))
        }
        return strings
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, by leaves: any PackedCodingLeaves, in range: Range<Int>,
        at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        let content = try content(range, at: key())
        if case .null = content { throw mismatch(type, content, at: key()) }
        let bytes = source.bytes
        let json: JSONValue
        do throws(PackedError) {
            json = try PackedForm.value(of: bytes.span, in: range)
        } catch { throw corrupted(error, at: key()) }
        guard let value = leaves.decode(type, from: json) as? Value else {
            throw DecodingError.dataCorrupted(
                context("What stands here is no \(type) in the form that documents use.", at: key())
            )
        }
        return value
    }

    // MARK: Errors

    func corrupted(_ error: PackedError, at key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(context(error.description, at: key, underlying: error))
    }

    func mismatch(
        _ type: any Any.Type, _ content: PackedForm.Content, at key: (any CodingKey)?
    ) -> DecodingError {
        let found: String
        switch content {
        case .null:
            return .valueNotFound(type, context("A \(type) must stand here, not null.", at: key))
        case .bool: found = "a boolean"
        case .integer, .double: found = "a number"
        case .string: found = "a string"
        case .array: found = "an array"
        case .object: found = "an object"
        }
        return .typeMismatch(type, context("A \(type) must stand here, not \(found).", at: key))
    }

    func unfit(_ type: any Any.Type, at key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(context("The number does not fit into \(type).", at: key))
    }

    func context(
        _ text: String, at key: (any CodingKey)?, underlying: (any Error)? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: path(to: key).keys, debugDescription: text, underlyingError: underlying)
    }
}
