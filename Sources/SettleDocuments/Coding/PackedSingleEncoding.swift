/// One value that is encoded as a whole.
struct PackedSingleEncoding: SingleValueEncodingContainer {
    let encoder: PackedEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.set(.leaf(.null)) }

    func encode(_ value: some Encodable) throws {
        let inner = PackedEncoder(encoder.context, at: encoder.path, depth: encoder.depth + 1)
        encoder.set(try inner.json(of: value) ?? .leaf(.object([:])))
    }

    func encode(_ value: Bool) { encoder.set(.leaf(.bool(value))) }

    func encode(_ value: String) { encoder.set(.leaf(.string(value))) }

    func encode(_ value: Double) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Float) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Int) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Int8) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Int16) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Int32) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: Int64) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: UInt) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: UInt8) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: UInt16) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: UInt32) throws { encoder.set(try encoder.json(of: value, at: nil)) }

    func encode(_ value: UInt64) throws { encoder.set(try encoder.json(of: value, at: nil)) }
}
