/// The members of a packed object, each found and read when it is asked for.
struct PackedKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PackedDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    // A name that cannot be read is left out; whoever asks for it by key is told.
    var allKeys: [Key] { decoder.memberNames.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { (try? member(of: key)) != nil }

    private func find(_ key: some CodingKey) throws -> PackedDecoder.Member? {
        do throws(PackedError) {
            return try decoder.member(key.stringValue)
        } catch { throw decoder.corrupted(error, at: key) }
    }

    private func member(of key: Key) throws -> PackedDecoder.Member {
        guard let member = try find(key) else {
            throw DecodingError.keyNotFound(
                key, decoder.context("The object has no member of this name.", at: nil))
        }
        return member
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let member = try member(of: key)
        return try member.decoder.isNull(member.range, at: key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        let member = try member(of: key)
        return try member.decoder.inner(member.range, at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let member = try member(of: key)
        return try member.decoder.inner(member.range, at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(at: PlainKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(at: key) }

    private func decoder(at key: some CodingKey) throws -> PackedDecoder {
        guard let member = try find(key) else { return decoder.absent(key) }
        return try member.decoder.inner(member.range, at: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let member = try member(of: key)
        return try member.decoder.decode(type, in: member.range, at: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let member = try member(of: key)
        return try member.decoder.decode(Bool.self, in: member.range, at: key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let member = try member(of: key)
        return try member.decoder.decode(String.self, in: member.range, at: key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let member = try member(of: key)
        return try member.decoder.decode(Double.self, in: member.range, at: key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let member = try member(of: key)
        return try member.decoder.decode(Float.self, in: member.range, at: key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let member = try member(of: key)
        return try member.decoder.decode(integer: Int.self, in: member.range, at: key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: Int8.self, in: member.range, at: key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: Int16.self, in: member.range, at: key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: Int32.self, in: member.range, at: key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: Int64.self, in: member.range, at: key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        let member = try member(of: key)
        return try member.decoder.decode(integer: UInt.self, in: member.range, at: key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: UInt8.self, in: member.range, at: key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: UInt16.self, in: member.range, at: key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: UInt32.self, in: member.range, at: key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        let member = try member(of: key)
        return try member.decoder.decode(integer: UInt64.self, in: member.range, at: key)
    }
}
