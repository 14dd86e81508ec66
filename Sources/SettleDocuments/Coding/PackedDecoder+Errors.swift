// What a decoder says of a value that is not what was asked for.
extension PackedDecoder {
    func corrupted(_ error: PackedError, at key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(context(error.description, at: key, underlying: error))
    }

    func mismatch(
        _ type: any Any.Type, _ content: PackedForm.Content, at key: (any CodingKey)?
    ) -> DecodingError {
        let found: String
        switch content {
        case .null:
            return .valueNotFound(type, context("A \(type) must stand here, not null.", at: key))
        case .bool: found = "a boolean"
        case .integer, .double: found = "a number"
        case .string: found = "a string"
        case .array: found = "an array"
        case .object: found = "an object"
        }
        return .typeMismatch(type, context("A \(type) must stand here, not \(found).", at: key))
    }

    func unfit(_ type: any Any.Type, at key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(context("The number does not fit into \(type).", at: key))
    }

    func context(
        _ text: String, at key: (any CodingKey)?, underlying: (any Error)? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath + (key.map { [$0] } ?? []), debugDescription: text,
            underlyingError: underlying)
    }
}
