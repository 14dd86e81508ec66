public import Foundation
public import SettleDocuments

extension Document {
    /// A document from the text of a JSON object.
    ///
    /// The text is packed straight into the form that is stored; no tree of values is built. Cost:
    /// linear in the text, one allocation.
    ///
    /// - Parameters:
    ///   - json: The text, in UTF-8.
    ///   - identifierMember: The member that holds the identifier. It becomes the identifier and no
    ///     member; without it the identifier comes from ``idFactory``.
    ///   - limits: How large and deep the text may be.
    /// - Throws: ``/SettleDocuments/JSONError`` with line, column, and offset when the text is not JSON;
    ///   ``DatabaseError`` with `invalidDocument` when it is not an object or the identifier is no
    ///   string.
    public init(
        json: [UInt8], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) throws {
        try self.init(json: json.span, identifierMember: identifierMember, limits: limits)
    }

    /// A document from the text of a JSON object that lies in borrowed memory; see the other form.
    public init(
        json: Span<UInt8>, identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) throws {
        let (id, packed) = try Self.parts(
            ofJSON: json, identifierMember: identifierMember, limits: limits)
        self.init(id: id, packed: packed)
    }

    /// The identifier and the members of a document in JSON text.
    static func parts(
        ofJSON json: Span<UInt8>, identifierMember: String, limits: JSONLimits
    ) throws -> (id: String, body: PackedValue) {
        do {
            let (packed, id) = try JSONText.packedObject(
                from: json, taking: identifierMember, limits: limits)
            // Hidden by the identifier, it would be lost.
            if identifierMember != idMember, try packed.packedMember(idMember) != nil {
                throw DatabaseError(
                    .invalidDocument,
                    "The text has a member 'id' beside the identifier in '\(identifierMember)'; "
                        + "rename it.")
            }
            return (id ?? idFactory(), packed)
        } catch let error as JSONError {
            guard error.reason == .unexpectedKind else { throw error }
            throw DatabaseError(
                .invalidDocument,
                "A document is a JSON object whose member '\(identifierMember)', if it has one, "
                    + "is a string: \(error)", cause: error)
        }
    }

    /// A document from the text of a JSON object; see ``init(json:identifierMember:limits:)-([UInt8],_,_)``.
    public init(json: Data, limits: JSONLimits = JSONLimits()) throws {
        try self.init(json: [UInt8](json), limits: limits)
    }

    /// A document from the text of a JSON object; see ``init(json:identifierMember:limits:)-([UInt8],_,_)``.
    public init(json: String, limits: JSONLimits = JSONLimits()) throws {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    /// The document as JSON text: its members and `"id"`, sorted by name, without white space.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` when a member was set to something that
    ///   JSON cannot express.
    public func toJSON() throws -> Data {
        _ = try packed()
        return Data(JSONText.text(of: .object(try jsonWithId())))
    }

    /// The members and `"id"`: the whole document as a value, in another document or an index row.
    ///
    /// - Throws: ``DynamicValue/Unsupported`` when a member was set to something that JSON cannot
    ///   express.
    func jsonWithId() throws(DynamicValue.Unsupported) -> [String: JSONValue] {
        if let (name, reason) = firstUnsupported {
            throw DynamicValue.Unsupported(
                reason: "a document whose member '\(name)' holds \(reason)")
        }
        var members = json
        members[Document.idMember] = .string(id)
        return members
    }
}
