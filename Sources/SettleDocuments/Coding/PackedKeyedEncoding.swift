/// The members of an object that is being encoded.
struct PackedKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PackedEncoder
    let members: PackedEncoder.Members

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { members.contents[key.stringValue] = .leaf(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        later(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        later(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { later(PlainKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { later(key) }

    /// An encoder that fills the member; one of that key that is there already is filled on.
    private func later(_ key: some CodingKey) -> PackedEncoder {
        if case .later(let inner)? = members.contents[key.stringValue] { return inner }
        let inner = encoder.inner(key)
        members.contents[key.stringValue] = .later(inner)
        return inner
    }

    func encode(_ value: Bool, forKey key: Key) {
        members.contents[key.stringValue] = .leaf(.bool(value))
    }

    func encode(_ value: String, forKey key: Key) {
        members.contents[key.stringValue] = .leaf(.string(value))
    }

    func encode(_ value: Double, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        members.contents[key.stringValue] = try encoder.json(of: value, at: key)
    }
}
