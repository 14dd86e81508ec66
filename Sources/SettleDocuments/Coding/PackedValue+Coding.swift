import SettlePrimitives

extension PackedValue {
    /// Packs a value that can encode itself, without JSON text in between.
    ///
    /// The outcome is what `JSONEncoder` would write: objects, arrays, and single values; a key
    /// encoded twice keeps the last value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - leaves: The forms of types that JSON has none for.
    ///   - userInfo: Handed to the value's own encoding.
    ///   - limits: How large and deep the packed value may be.
    /// - Throws: `EncodingError` with the coding path when a number is NaN, infinite, or beyond
    ///   Int64, when values are nested too deep, or when nothing is encoded at all; `PackedError`
    ///   when the size limit is passed; and whatever the value's own encoding throws.
    package init(
        encoding value: some Encodable, leaves: (any PackedCodingLeaves)? = nil,
        userInfo: [CodingUserInfoKey: any Sendable] = [:], limits: JSONLimits = .default
    ) throws {
        let context = PackedEncoder.Context(leaves: leaves, userInfo: userInfo, limits: limits)
        let encoder = PackedEncoder(context, at: .top, depth: 0)
        guard let json = try encoder.json(of: value)?.resolved() else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "\(type(of: value)) encodes nothing."))
        }
        try self.init(json, limits: limits)
    }

    /// A value of that type, its fields read from the packed bytes where they lie.
    ///
    /// Numbers convert when that loses nothing: `2.0` is an integer too.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - member: A member that the outermost object has beside its own, and its string.
    ///   - leaves: The forms of types that JSON has none for.
    ///   - userInfo: Handed to the type's own decoding.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path: a member is absent, null, or of another
    ///   type, a number does not fit, or the bytes are damaged (`PackedError` lies underneath);
    ///   and whatever the type's own decoding throws.
    package func decode<Value: Decodable>(
        _ type: Value.Type, adding member: (name: String, value: String)? = nil,
        leaves: (any PackedCodingLeaves)? = nil,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        try Self.decode(type, in: bytes, adding: member, leaves: leaves, userInfo: userInfo)
    }

    /// A value of that type from packed bytes that lie elsewhere.
    ///
    /// The bytes are copied once, because decoders may outlive the call.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - bytes: Packed bytes, whatever they are.
    ///   - member: A member that the outermost object has beside its own, and its string.
    ///   - leaves: The forms of types that JSON has none for.
    ///   - userInfo: Handed to the type's own decoding.
    /// - Returns: The value.
    /// - Throws: As `decode(_:adding:leaves:userInfo:)`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Span<UInt8>,
        adding member: (name: String, value: String)? = nil,
        leaves: (any PackedCodingLeaves)? = nil,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        var copy: [UInt8] = []
        copy.append(bytes, in: 0..<bytes.count)
        return try decode(type, in: copy, adding: member, leaves: leaves, userInfo: userInfo)
    }

    /// Decodes what fills the bytes, which decoders keep.
    private static func decode<Value: Decodable>(
        _ type: Value.Type, in bytes: [UInt8], adding member: (name: String, value: String)?,
        leaves: (any PackedCodingLeaves)?, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value {
        let source = PackedDecoder.Source(
            bytes: bytes, leaves: leaves, userInfo: userInfo,
            added: member.map { .init(name: ByteName($0.name), value: $0.value) })
        let range = 0..<bytes.count
        return try PackedDecoder(source, range, inside: nil, at: nil, depth: 0).decode(
            type, in: range, at: nil)
    }
}
