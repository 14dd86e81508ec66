import Foundation
import SettleDocuments

// Decoders and encoders of the standard library's kind, straight from and to the stored form: no
// JSON text and no dictionaries in between.

extension Document {
    /// A document from a value that can encode itself.
    ///
    /// The value must encode an object. Its member `"id"`, a string, becomes the identifier; without
    /// it the identifier comes from ``idFactory``. Dates are written as ``dateFormatter`` has them,
    /// `Data` in base64, `URL`, `UUID`, and `Decimal` as strings.
    ///
    /// - Parameter value: The value.
    /// - Throws: `EncodingError` with the coding path, when a number is not finite or beyond 64 bits
    ///   for example; ``DatabaseError`` with `invalidDocument` when the value encodes no object, or an
    ///   `"id"` that is no string; `documentTooLarge`; what the value's own encoding throws.
    public init(encoding value: some Encodable) throws {
        let packed = try DatabaseError.translating {
            try PackedValue(encoding: value, leaves: DocumentCodingLeaves())
        }
        guard case .object(var members) = try packed.value() else {
            throw DatabaseError(
                .invalidDocument,
                "A document is made of a value that encodes an object, unlike \(type(of: value)).")
        }
        switch members.removeValue(forKey: Document.idMember) {
        case nil:
            self.init(id: Document.idFactory(), packed: packed)
        case .string(let id):
            self.init(id: id, packed: try PackedValue(.object(members)))
        default:
            throw DatabaseError(
                .invalidDocument,
                "The member 'id' of a document is a string, unlike that of \(type(of: value)).")
        }
    }

    /// The document as a value that can decode itself.
    ///
    /// Members are read from the stored form as they are asked for. `"id"` is the identifier. The
    /// types that ``init(encoding:)`` writes as strings are read from them.
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path when a member is absent, of another type, or
    ///   does not fit; ``DatabaseError`` with `invalidDocument` when a member was set to something
    ///   that JSON cannot express; what the type's own decoding throws.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try packed().decode(
            type, adding: (Document.idMember, id), leaves: DocumentCodingLeaves())
    }
}
