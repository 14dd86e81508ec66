import HTTPTypes
import Settle

/// The body of an insert or an update, taken apart and checked.
struct ItemBody: Sendable, Equatable {
    /// The member `id`; nil when it is absent or null.
    var id: String?
    /// The member `version`, what the sender has seen; it is never stored.
    var version: String?
    /// The member `_attachments`; nil when it is absent.
    var attachments: [AttachmentDescription]?
    /// All other members.
    var members: [String: JSONValue]

    /// Reads the bytes of a body.
    ///
    /// - Parameter bytes: The body as it came.
    /// - Throws: ``Refusal`` 400 when the bytes are no JSON (with line and column), no object,
    ///   name a reserved column, have an `id` or `version` that is no string, or describe attachments wrongly.
    init(_ bytes: [UInt8]) throws(Refusal) {
        guard case .object(var members) = try Self.json(bytes) else {
            throw Refusal(.badRequest, "The body is not a JSON object; send one item at a time.")
        }
        for name in members.keys.sorted() {
            guard let column = SystemColumn.reserved(name) else { continue }
            throw Refusal(
                .badRequest,
                "The body may not set '\(name)': the server keeps '\(column.rawValue)' itself.")
        }
        id = try Self.string(members.removeValue(forKey: SystemColumn.id.rawValue), .id)
        version = try Self.string(
            members.removeValue(forKey: SystemColumn.version.rawValue), .version)
        attachments = try Self.attachments(members.removeValue(forKey: AttachmentColumn.name))
        self.members = members
    }

    private static func json(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
        do {
            return try JSONText.value(from: bytes, limits: limits)
        } catch {
            throw Refusal(
                .badRequest,
                "The body cannot be read at line \(error.line), column \(error.column): "
                    + error.message)
        }
    }

    private static func attachments(
        _ column: JSONValue?
    ) throws(Refusal) -> [AttachmentDescription]? {
        guard let column else { return nil }
        return try AttachmentColumn.descriptions(of: column)
    }

    private static func string(
        _ value: JSONValue?, _ column: SystemColumn
    ) throws(Refusal) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default:
            throw Refusal(.badRequest, "The member '\(column.rawValue)' must be a string.")
        }
    }

    /// The item is stored inside an envelope, so it may be a little less deep than a document.
    private static let limits = JSONLimits(depthMax: 500)
}
