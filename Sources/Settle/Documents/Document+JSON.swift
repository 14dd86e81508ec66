public import Foundation
public import SettleDocuments

extension Document {
    /// A document from the text of a JSON object.
    ///
    /// - Parameters:
    ///   - json: The text, in UTF-8. The member `"id"` sets the identifier; without it the
    ///     identifier comes from ``idFactory``.
    ///   - limits: How large and deep the text may be.
    /// - Throws: ``JSONError`` with line, column, and offset when the text is not JSON;
    ///   ``DatabaseError`` with `invalidDocument` when it is not an object or `"id"` is no string.
    public init(json: Data, limits: JSONLimits = JSONLimits()) throws {
        try self.init(jsonText: [UInt8](json), limits: limits)
    }

    /// A document from the text of a JSON object; see ``init(json:limits:)``.
    public init(json: String, limits: JSONLimits = JSONLimits()) throws {
        try self.init(jsonText: Array(json.utf8), limits: limits)
    }

    private init(jsonText: [UInt8], limits: JSONLimits) throws {
        guard case .object(let members) = try JSONText.value(from: jsonText, limits: limits) else {
            throw DatabaseError(
                .invalidDocument, "A document is a JSON object, and the text holds another value.")
        }
        switch members[Document.idMember] {
        case nil, .string?:
            self.init(members)
        default:
            throw DatabaseError(
                .invalidDocument, "The member 'id' of a document is a string; quote it.")
        }
    }

    /// The document as JSON text: its members and `"id"`, sorted by name, without white space.
    ///
    /// - Throws: ``DatabaseError`` with `invalidDocument` when a member was set to something that
    ///   JSON cannot express.
    public func toJSON() throws -> Data {
        _ = try packed()
        var members = json
        members[Document.idMember] = .string(id)
        return Data(JSONText.text(of: .object(members)))
    }
}
