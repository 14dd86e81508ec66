/// The elements of a packed array, one after another.
struct PackedUnkeyedDecoding: UnkeyedDecodingContainer {
    private let decoder: PackedDecoder
    private let area: Range<Int>
    private var place: Int
    private(set) var currentIndex = 0

    init(_ decoder: PackedDecoder, _ range: Range<Int>) throws {
        let content = try decoder.content(range, at: nil)
        guard case .array(let area) = content else {
            throw decoder.mismatch([Any].self, content, at: nil)
        }
        self.decoder = decoder
        self.area = area
        place = area.lowerBound
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var isAtEnd: Bool { place >= area.upperBound }

    /// Walks over all elements; nil when one of them is damaged.
    var count: Int? {
        let bytes = decoder.source.bytes
        var count = 0
        var place = area.lowerBound
        while place < area.upperBound {
            guard
                let element = try? PackedForm.content(
                    of: bytes.span, in: place..<area.upperBound)
            else { return nil }
            place = element.end
            count += 1
        }
        return count
    }

    private var key: PlainKey { PlainKey(index: currentIndex) }

    /// Where the next element lies.
    private func next(_ type: any Any.Type) throws -> Range<Int> {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, decoder.context("The array has no more elements.", at: key))
        }
        let bytes = decoder.source.bytes
        do throws(PackedError) {
            let end = try PackedForm.content(of: bytes.span, in: place..<area.upperBound).end
            return place..<end
        } catch { throw decoder.corrupted(error, at: key) }
    }

    private mutating func step(over range: Range<Int>) {
        place = range.upperBound
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        let range = try next(Any?.self)
        guard try decoder.isNull(range, at: key) else { return false }
        step(over: range)
        return true
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let range = try next([String: Any].self)
        let container = try decoder.inner(range, at: key).container(keyedBy: type)
        step(over: range)
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let range = try next([Any].self)
        let container = try decoder.inner(range, at: key).unkeyedContainer()
        step(over: range)
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let range = try next((any Decoder).self)
        let inner = try decoder.inner(range, at: key)
        step(over: range)
        return inner
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let range = try next(type)
        let value = try decoder.decode(type, in: range, at: key)
        step(over: range)
        return value
    }

    private mutating func decode<Number: FixedWidthInteger>(
        integer type: Number.Type
    ) throws -> Number {
        let range = try next(type)
        let value = try decoder.decode(integer: type, in: range, at: key)
        step(over: range)
        return value
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let range = try next(type)
        let value = try decoder.decode(type, in: range, at: key)
        step(over: range)
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let range = try next(type)
        let value = try decoder.decode(type, in: range, at: key)
        step(over: range)
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let range = try next(type)
        let value = try decoder.decode(type, in: range, at: key)
        step(over: range)
        return value
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let range = try next(type)
        let value = try decoder.decode(type, in: range, at: key)
        step(over: range)
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try decode(integer: type) }

    mutating func decode(_ type: Int8.Type) throws -> Int8 { try decode(integer: type) }

    mutating func decode(_ type: Int16.Type) throws -> Int16 { try decode(integer: type) }

    mutating func decode(_ type: Int32.Type) throws -> Int32 { try decode(integer: type) }

    mutating func decode(_ type: Int64.Type) throws -> Int64 { try decode(integer: type) }

    mutating func decode(_ type: UInt.Type) throws -> UInt { try decode(integer: type) }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decode(integer: type) }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decode(integer: type) }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decode(integer: type) }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decode(integer: type) }
}
