/// The elements of an array that is being encoded.
struct PackedUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: PackedEncoder
    let elements: PackedEncoder.Elements

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { elements.contents.count }

    private var key: PlainKey { PlainKey(index: count) }

    func encodeNil() { elements.contents.append(.leaf(.null)) }

    func encode(_ value: some Encodable) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        later().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { later().unkeyedContainer() }

    func superEncoder() -> any Encoder { later() }

    private func later() -> PackedEncoder {
        let inner = encoder.inner(key)
        elements.contents.append(.later(inner))
        return inner
    }

    func encode(_ value: Bool) { elements.contents.append(.leaf(.bool(value))) }

    func encode(_ value: String) { elements.contents.append(.leaf(.string(value))) }

    func encode(_ value: Double) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Float) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Int) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Int8) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Int16) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Int32) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: Int64) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: UInt) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: UInt8) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: UInt16) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: UInt32) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }

    func encode(_ value: UInt64) throws {
        elements.contents.append(try encoder.json(of: value, at: key))
    }
}
