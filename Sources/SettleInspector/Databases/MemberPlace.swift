import Settle

/// Where the members of the documents of a database are.
///
/// A server of tables keeps each item in an envelope: what a client calls the members of the item are those of the
/// document's member `item`; see Docs/Formats/ServerTables.md.
enum MemberPlace: Sendable {
    /// In the document.
    case document
    /// In its member `item`, beside which is what the server knows of it.
    case item

    /// The names of members.
    private enum Name {
        static let type = "type"
        static let channels = "channels"
        static let item = "item"
        static let deleted = "deleted"
        /// What is beside the item and no client sees.
        static let hidden: Set<String> = ["id", item, "left"]
    }

    /// Where they are in a database.
    ///
    /// - Throws: What the database throws when it cannot be read.
    /// - Complexity: O(log n), for the table of the server's clock, which every table has.
    init(in snapshot: Snapshot) throws {
        self = try snapshot.table("server.clock") == nil ? .document : .item
    }

    // MARK: In place

    /// The type of a document; nil when it has none.
    func type(of view: borrowing DocumentView) throws -> String? {
        switch self {
        case .document: try view.string(Name.type)
        case .item: try view.string(at: Name.item, Name.type)
        }
    }

    /// Whether a document is in a channel.
    func has(_ channel: String, _ view: borrowing DocumentView) throws -> Bool {
        let value =
            switch self {
            case .document: try view.json(Name.channels)
            case .item: try view.json(Name.item)?[Name.channels]
            }
        guard case .array(let names)? = value else { return false }
        return names.contains(.string(channel))
    }

    /// Whether a document is an item that was deleted.
    func isDeleted(_ view: borrowing DocumentView) throws -> Bool {
        switch self {
        case .document: false
        case .item: try view.bool(Name.deleted) ?? false
        }
    }

    // MARK: In a document

    /// The type of a document; nil when it has none.
    func type(of document: Document) -> String? { shown(document).metaData.type }

    /// The channels of a document.
    func channels(of document: Document) -> [String] { shown(document).metaData.channels }

    /// Whether a document is an item that was deleted.
    func isDeleted(_ document: Document) -> Bool {
        self == .item && document[json: Name.deleted] == true
    }

    /// A document as conditions see it: the members of an item with what the server tells of it, as a client has them.
    func shown(_ document: Document) -> Document {
        guard self == .item, case .object(let item)? = document[json: Name.item] else {
            return document
        }
        var shown = Document(id: document.id)
        for (name, value) in document.json where !Name.hidden.contains(name) {
            shown[json: name] = value
        }
        for (name, value) in item where name != "id" { shown[json: name] = value }
        return shown
    }
}
