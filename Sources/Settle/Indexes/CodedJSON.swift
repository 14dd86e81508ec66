import SettleDocuments

/// A JSON value that goes through decoders and encoders of the standard library's kind.
struct CodedJSON: Codable {
    let value: JSONValue

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    init(_ value: JSONValue) {
        self.value = value
    }

    /// Reads whatever the decoder has.
    ///
    /// Many decoders make no difference between `5` and `5.0`; both are the integer then.
    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONValue] = [:]
            for name in container.allKeys {
                members[name.stringValue] = try container.decode(CodedJSON.self, forKey: name)
                    .value
            }
            value = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd {
                elements.append(try container.decode(CodedJSON.self).value)
            }
            value = .array(elements)
        } else {
            value = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .bool(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(Double.self) { return .double(number) }
        return .string(try container.decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag): try flag.encode(to: encoder)
        case .integer(let number): try number.encode(to: encoder)
        case .double(let number): try number.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(CodedJSON(element)) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, member) in members {
                try container.encode(CodedJSON(member), forKey: Name(stringValue: name))
            }
        }
    }

    /// The error for JSON that is read but is not what it should be.
    static func corrupted(_ decoder: any Decoder, _ sentence: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: sentence))
    }
}
