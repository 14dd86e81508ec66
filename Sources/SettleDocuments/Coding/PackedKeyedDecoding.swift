/// The members of a packed object, each found and read when it is asked for.
struct PackedKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PackedDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    // A name that cannot be read is left out; whoever asks for it by key is told.
    var allKeys: [Key] { decoder.memberNames.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { (try? reading(key) { _, _ in () }) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        try reading(key) { decoder, range in try decoder.isNull(range, at: key) }
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        try reading(key) { decoder, range in
            try decoder.inner(range, at: key).container(keyedBy: type)
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try reading(key) { decoder, range in try decoder.inner(range, at: key).unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { try decoder(at: PlainKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(at: key) }

    private func decoder(at key: some CodingKey) throws -> PackedDecoder {
        let name = ByteName(key.stringValue)
        if let added = try added(name, at: key) {
            return try added.inner(added.range, at: key)
        }
        guard let place = try place(of: name, at: key) else { return decoder.absent(key) }
        return try decoder.inner(place, at: key)
    }

    // MARK: Finding

    private func added(_ name: ByteName, at key: some CodingKey) throws -> PackedDecoder? {
        do throws(PackedError) {
            return try decoder.added(name)
        } catch { throw decoder.corrupted(error, at: key) }
    }

    @inline(__always)
    private func place(of name: ByteName, at key: some CodingKey) throws -> Range<Int>? {
        do throws(PackedError) {
            return try decoder.place(of: name)
        } catch { throw decoder.corrupted(error, at: key) }
    }

    /// Gives a member to what reads it: a decoder, and where the value lies in its bytes.
    ///
    /// - Throws: `DecodingError` when there is no such member, or a name that the search meets is
    ///   damaged; what `body` throws.
    @inline(__always)
    private func reading<Value>(
        _ key: Key, _ body: (PackedDecoder, Range<Int>) throws -> Value
    ) throws -> Value {
        let name = ByteName(key.stringValue)
        if decoder.mayBeAdded(name), let added = try added(name, at: key) {
            return try body(added, added.range)
        }
        guard let place = try place(of: name, at: key) else {
            throw DecodingError.keyNotFound(
                key, decoder.context("The object has no member of this name.", at: nil))
        }
        return try body(decoder, place)
    }

    /// As `reading`, for a member that may be absent or null, which is nil.
    @inline(__always)
    private func readingIfPresent<Value>(
        _ key: Key, _ body: (PackedDecoder, Range<Int>) throws -> Value
    ) throws -> Value? {
        let name = ByteName(key.stringValue)
        if decoder.mayBeAdded(name), let added = try added(name, at: key) {
            return try body(added, added.range)
        }
        guard let place = try place(of: name, at: key), !decoder.isSoundNull(place) else {
            return nil
        }
        return try body(decoder, place)
    }

    // MARK: Values

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reading(key) { decoder, range in try decoder.decode(type, in: range, at: key) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try readingIfPresent(key) { decoder, range in try decoder.decode(type, in: range, at: key) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try reading(key) { try $0.decode(Bool.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readingIfPresent(key) { try $0.decode(Bool.self, in: $1, at: key) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try reading(key) { try $0.decode(String.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readingIfPresent(key) { try $0.decode(String.self, in: $1, at: key) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try reading(key) { try $0.decode(Double.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readingIfPresent(key) { try $0.decode(Double.self, in: $1, at: key) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try reading(key) { try $0.decode(Float.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try readingIfPresent(key) { try $0.decode(Float.self, in: $1, at: key) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try reading(key) { try $0.decode(integer: Int.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readingIfPresent(key) { try $0.decode(integer: Int.self, in: $1, at: key) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try reading(key) { try $0.decode(integer: Int8.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try readingIfPresent(key) { try $0.decode(integer: Int8.self, in: $1, at: key) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try reading(key) { try $0.decode(integer: Int16.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try readingIfPresent(key) { try $0.decode(integer: Int16.self, in: $1, at: key) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try reading(key) { try $0.decode(integer: Int32.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try readingIfPresent(key) { try $0.decode(integer: Int32.self, in: $1, at: key) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try reading(key) { try $0.decode(integer: Int64.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readingIfPresent(key) { try $0.decode(integer: Int64.self, in: $1, at: key) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try reading(key) { try $0.decode(integer: UInt.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try readingIfPresent(key) { try $0.decode(integer: UInt.self, in: $1, at: key) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try reading(key) { try $0.decode(integer: UInt8.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try readingIfPresent(key) { try $0.decode(integer: UInt8.self, in: $1, at: key) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try reading(key) { try $0.decode(integer: UInt16.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try readingIfPresent(key) { try $0.decode(integer: UInt16.self, in: $1, at: key) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try reading(key) { try $0.decode(integer: UInt32.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try readingIfPresent(key) { try $0.decode(integer: UInt32.self, in: $1, at: key) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try reading(key) { try $0.decode(integer: UInt64.self, in: $1, at: key) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try readingIfPresent(key) { try $0.decode(integer: UInt64.self, in: $1, at: key) }
    }
}
