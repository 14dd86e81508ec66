/// A decoder of an object without members that notes by which keys a type is decoded.
final class CodingKeysProbe: Decoder {
    fileprivate struct Refused: Error {}

    private var found: [any CodingKey.Type] = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init() {}

    /// Whether a type's coding keys say that a property is not written under its own name.
    ///
    /// Runs the type's `init(from:)` with an object without members.
    ///
    /// - Parameters:
    ///   - property: The name of one of its stored properties.
    ///   - type: The type.
    /// - Returns: True when the type asks for its own `CodingKeys`, and neither these nor other keys that
    ///   it asks for have a case of that name with that string. False also when nothing is known: the
    ///   type is not decoded by keys, or throws before it asks for its own.
    static func refute(_ property: String, of type: any Decodable.Type) -> Bool {
        let probe = CodingKeysProbe()
        _ = try? type.init(from: probe)
        let owner = String(reflecting: type) + "."
        // The compiler's own are private, which puts a context between the names.
        let isOwnAmong = probe.found.contains { keys in
            let name = String(reflecting: keys)
            return name.hasPrefix(owner) && name.hasSuffix(".CodingKeys")
        }
        return isOwnAmong && !probe.found.contains { has($0, property) }
    }

    /// Whether keys have one for a property that is written under its own name.
    ///
    /// A key of another property may have that string, `case title = "name"`; its case tells.
    private static func has(_ keys: any CodingKey.Type, _ property: String) -> Bool {
        func caseName(_ key: some CodingKey) -> String? {
            guard Mirror(reflecting: key).displayStyle == .enum else { return nil }
            return unsafe enumerationCaseName(key).map { unsafe String(cString: $0) }
        }
        guard let key = keys.init(stringValue: property) else { return false }
        return caseName(key) ?? property == property
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        found.append(type)
        return KeyedDecodingContainer(EmptyContainer<Key>())
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refused() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Refused() }
}

/// The object without members.
private struct EmptyContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { false }

    func decodeNil(forKey key: Key) throws -> Bool { throw CodingKeysProbe.Refused() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        throw CodingKeysProbe.Refused()
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw CodingKeysProbe.Refused()
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw CodingKeysProbe.Refused()
    }

    func superDecoder() throws -> any Decoder { throw CodingKeysProbe.Refused() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw CodingKeysProbe.Refused() }
}

/// The runtime's name of an enumeration's case.
///
/// Coding keys describe themselves by their strings, so that `String(describing:)` does not have it.
@_silgen_name("swift_EnumCaseName")
private func enumerationCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
