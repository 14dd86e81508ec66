/// The members of a packed object, each found and read when it is asked for.
struct PackedKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: PackedDecoder
    private let members: PackedMembers

    init(_ decoder: PackedDecoder, _ range: Range<Int>) throws {
        let content = try decoder.content(range, at: nil)
        guard case .object(let members) = content else {
            throw decoder.mismatch([String: Any].self, content, at: nil)
        }
        self.decoder = decoder
        self.members = members
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        // A name that cannot be read is left out; whoever asks for it by key is told.
        let bytes = decoder.source.bytes
        return (0..<members.count).compactMap { index in
            guard let name = try? members.member(index, in: bytes.span).name,
                let text = try? PackedForm.utf8(of: bytes.span, in: name)
            else { return nil }
            return Key(stringValue: text)
        } + [added.flatMap { Key(stringValue: $0.name) }].compactMap { $0 }
    }

    /// The member that lies behind the outermost object, if this is that.
    private var added: (name: String, place: Range<Int>)? {
        // Only the outermost value begins with the first byte.
        decoder.range.lowerBound == 0 ? decoder.source.added : nil
    }

    func contains(_ key: Key) -> Bool { (try? range(of: key)) != nil }

    private func find(_ key: some CodingKey) throws -> Range<Int>? {
        let bytes = decoder.source.bytes
        if let added, key.stringValue == added.name { return added.place }
        do throws(PackedError) {
            return try members.value(named: key.stringValue, in: bytes.span)
        } catch { throw decoder.corrupted(error, at: key) }
    }

    private func range(of key: Key) throws -> Range<Int> {
        guard let range = try find(key) else {
            throw DecodingError.keyNotFound(
                key, decoder.context("The object has no member of this name.", at: nil))
        }
        return range
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try decoder.isNull(range(of: key), at: key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        try decoder.inner(range(of: key), at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.inner(range(of: key), at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(at: PlainKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(at: key) }

    private func decoder(at key: some CodingKey) throws -> PackedDecoder {
        guard let range = try find(key) else { return decoder.absent(key) }
        return try decoder.inner(range, at: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.decode(type, in: range(of: key), at: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.decode(Bool.self, in: range(of: key), at: key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.decode(String.self, in: range(of: key), at: key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.decode(Double.self, in: range(of: key), at: key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder.decode(Float.self, in: range(of: key), at: key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decoder.decode(integer: Int.self, in: range(of: key), at: key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try decoder.decode(integer: Int8.self, in: range(of: key), at: key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try decoder.decode(integer: Int16.self, in: range(of: key), at: key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try decoder.decode(integer: Int32.self, in: range(of: key), at: key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try decoder.decode(integer: Int64.self, in: range(of: key), at: key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try decoder.decode(integer: UInt.self, in: range(of: key), at: key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try decoder.decode(integer: UInt8.self, in: range(of: key), at: key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try decoder.decode(integer: UInt16.self, in: range(of: key), at: key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try decoder.decode(integer: UInt32.self, in: range(of: key), at: key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try decoder.decode(integer: UInt64.self, in: range(of: key), at: key)
    }
}
