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
        let hasAdded: Bool
        private let addedPrefix: UInt64
        private let addedCount: Int

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
            hasAdded = added != nil
            addedPrefix = added?.name.prefix ?? 0
            addedCount = added?.name.count ?? 0
            self.bytes = bytes
            self.leaves = leaves
            hasLeaves = leaves != nil
            self.userInfo = userInfo
        }

        /// Whether all that can be told without its text agrees with the name of the added member.
        @inline(__always)
        func mayBeAdded(_ name: ByteName) -> Bool {
            addedPrefix == name.prefix && addedCount == name.count
        }

        /// Stands in for a member that is absent where a decoder of its own is asked for.
        static let null = Source(bytes: [PackedTag.null], leaves: nil, userInfo: [:])
    }

    let source: Source
    let range: Range<Int>
    let depth: Int
    /// The decoder that this one lies in, and under which key; nil for the outermost value.
    let outer: PackedDecoder?
    let key: (any CodingKey)?
    /// Where the members lie, once the value was opened as an object.
    private(set) var members: PackedMembers?
    /// Where the member is expected that is asked for next.
    var expected = ExpectedPlaces.none

    init(
        _ source: Source, _ range: Range<Int>, inside outer: PackedDecoder?,
        at key: (any CodingKey)?, depth: Int
    ) {
        self.source = source
        self.range = range
        self.outer = outer
        self.key = key
        self.depth = depth
    }

    /// The way to the value, found only when it is asked for.
    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var decoder: PackedDecoder? = self
        while let current = decoder {
            if let key = current.key { keys.append(key) }
            decoder = current.outer
        }
        return keys.reversed()
    }

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
        // Again for each container: another type asks in another order.
        expected = ExpectedPlaces(of: type)
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
        return PackedDecoder(source, range, inside: self, at: key(), depth: depth + 1)
    }

    /// A decoder for a member that is absent, as if it were null.
    func absent(_ key: any CodingKey) -> PackedDecoder {
        PackedDecoder(.null, 0..<1, inside: self, at: key, depth: depth + 1)
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

    /// Whether null fills the range; false also for damage, which decoding meets.
    func isSoundNull(_ range: Range<Int>) -> Bool {
        range.count == 1 && source.bytes[range.lowerBound] == PackedTag.null
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

    /// The value of a type that is one of the usual ones.
    ///
    /// The cast is a forced one, because the runtime would look up the optional of the type.
    @inline(never)
    private func decode<Value>(
        _ usual: UsualType, in range: Range<Int>, at key: @autoclosure () -> (any CodingKey)?
    ) throws -> Value {
        switch usual {
        case .strings: try strings(in: range, at: key()) as! Value
        case .string: try decode(String.self, in: range, at: key()) as! Value
        case .integer: try decode(integer: Int.self, in: range, at: key()) as! Value
        case .double: try decode(Double.self, in: range, at: key()) as! Value
        }
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
}
