import HTTPTypes
import Settle
import SettleTableProtocol

/// The body of an insert or an update, taken apart and checked.
struct ItemBody: Sendable, Equatable {
    /// What a body is for.
    enum Purpose: Sendable, Equatable {
        case insert
        /// Its members are merged into those of the item.
        case update
        /// Its members are all that the item has afterwards.
        case replacement
    }

    /// The member `id`; nil when it is absent or null.
    var id: String?
    /// The member `version`, what the sender has seen; it is never stored.
    var version: String?
    /// The member `deleted`, where the dialect lets a body have it; it is never stored.
    var deleted: Bool?
    /// The member `_attachments`; nil when it is absent.
    var attachments: [AttachmentDescription]?
    /// All other members.
    var members: ItemMembers

    /// Takes an item apart.
    ///
    /// - Parameters:
    ///   - json: The item.
    ///   - purpose: What it is for.
    ///   - dialect: The version of the protocol, which says what becomes of the server's columns.
    /// - Throws: ``Problem`` 400 when it is no object, sets a column or ``RemovalMark/name``, which
    ///   it may not, has an `id` or `version` that is no string, or describes attachments wrongly.
    init(_ json: PackedValue, for purpose: Purpose, in dialect: TableDialect) throws(Problem) {
        guard json.isObject else {
            throw Problem(.badRequest, "The body is not a JSON object; send one item at a time.")
        }
        if let parts = json.parting(for: purpose, in: dialect) {
            self.id = try Self.string(parts.id?.leaf, .id)
            if dialect.systemMembers == .refused {
                version = try Self.string(parts.version?.leaf, .version)
            }
            if dialect.systemMembers == .overwritten { deleted = parts.deleted?.leaf.boolValue }
            members = ItemMembers(sound: parts.rest)
            return
        }
        guard json.leaf(RemovalMark.name) == nil else { throw Self.setsRemoval }
        let id = SystemColumn.id.rawValue
        var taken = [id, AttachmentColumn.name]
        switch dialect.systemMembers {
        case .refused:
            try Self.checkReserved(json.names(ofLengths: SystemColumn.nameLengths))
            let name = SystemColumn.version.rawValue
            version = try Self.string(json.leaf(name), .version)
            taken.append(name)
        case .overwritten:
            let names = json.names(ofLengths: SystemColumn.nameLengths).filter {
                SystemColumn.isOverwritten($0)
            }
            deleted = try Self.deletion(json, overwriting: names, for: purpose)
            taken += names
        }
        self.id = try Self.string(json.leaf(id), .id)
        if let column = json.part(AttachmentColumn.name) {
            guard column.count(limit: Self.attachmentValuesMax) <= Self.attachmentValuesMax else {
                throw Problem(
                    .badRequest, "The member '\(AttachmentColumn.name)' has too many values.")
            }
            do {
                attachments = try AttachmentColumn.descriptions(of: column.tree)
            } catch {
                throw Problem(error)
            }
        }
        members = ItemMembers(sound: json.without(taken))
    }

    /// More values than all descriptions of attachments that an item may have.
    private static let attachmentValuesMax = 10_000

    /// Reads the bytes of a body as JSON.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - levels: How deep in them an item lies.
    /// - Returns: The JSON, packed.
    /// - Throws: ``Problem`` 400 with line and column when they are none.
    static func json(_ bytes: [UInt8], levels: Int = 0) throws(Problem) -> PackedValue {
        do {
            var limits = limits
            limits.depthMax += levels
            // JavaScript writes 1e20 as a whole number of 21 digits.
            return try JSONText.packedInPieces(
                from: bytes.span, limits: limits, largeIntegers: .exact)
        } catch {
            var problem = Problem(
                .badRequest,
                "The body cannot be read at line \(error.line), column \(error.column): "
                    + error.message)
            problem.details = [
                "line": .integer(Int64(error.line)), "column": .integer(Int64(error.column)),
            ]
            throw problem
        }
    }

    /// The problem for members that would have readers take the item for one that left their sight.
    static let setsRemoval = Problem(
        .badRequest,
        "An item may not have a member '\(RemovalMark.name)': that is how readers are told that an "
            + "item left their sight.")

    private static func checkReserved(_ names: [String]) throws(Problem) {
        for name in names {
            guard let column = SystemColumn.reserved(name) else { continue }
            throw Problem(
                .badRequest,
                "The body may not set '\(name)': the server keeps '\(column.rawValue)' itself.")
        }
    }

    /// What `deleted` says, where the server overwrites some members.
    ///
    /// An update says what shall change, so there they are refused rather than overlooked; but `deleted`
    /// false is how an item is brought back.
    ///
    /// - Returns: The member `deleted`; nil when there is none or it is no boolean.
    private static func deletion(
        _ json: PackedValue, overwriting names: [String], for purpose: Purpose
    ) throws(Problem) -> Bool? {
        let deleted = json.leaf(SystemColumn.deleted.rawValue)?.boolValue
        for name in names {
            let isUndelete = name == SystemColumn.deleted.rawValue && deleted == false
            guard purpose != .update || isUndelete else {
                throw Problem(
                    .badRequest,
                    "An update may not set '\(name)', which the server keeps itself; "
                        + "'deleted' may be set to false, to bring an item back.")
            }
        }
        return deleted
    }

    private static func string(
        _ value: JSONValue?, _ column: SystemColumn
    ) throws(Problem) -> String? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default:
            throw Problem(.badRequest, "The member '\(column.rawValue)' must be a string.")
        }
    }

    /// The item is stored inside an envelope, so it may be a little less deep than a document.
    static let limits = JSONLimits(depthMax: 500)
}
