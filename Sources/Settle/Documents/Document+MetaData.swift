public import Foundation
import SettleDocuments

extension Document {
    /// What is known about a document beside its members.
    public struct MetaData: Sendable, Equatable {
        /// The identifier.
        public var id: String
        /// The revision the document was read or saved at, `generation-digest`; nil for a document
        /// that was never saved.
        ///
        /// Saving a document with a revision succeeds only when it is still the current one. Set
        /// it to nil to write over whatever is there.
        public var revision: String?
        /// True for a tombstone.
        public internal(set) var isDeleted: Bool
        /// When the document was first saved here; nil until then.
        public internal(set) var createDate: Date?
        /// When it was last saved; nil until then.
        public internal(set) var lastChange: Date?
        /// When the document is purged from this database, as if it had never been; nil for never.
        ///
        /// Not a member: it is not replicated, and setting it and saving makes no other document
        /// expire. A document for which it was never set keeps the date that is stored. While a database
        /// is open its overdue documents go within a minute; those that are overdue when it is opened are
        /// gone when ``Database/open(with:create:)`` returns, unless the disk is full. A date that is not a number is none.
        public var expirationDate: Date? {
            didSet { expirationNote.isSet = true }
        }
        /// The names in the member `channels`, which tell a server who may see the document.
        public var channels: [String]
        /// The member `type`: what kind of document it is.
        public var type: String?
        /// Whether ``expirationDate`` was set, to whatever.
        fileprivate var expirationNote = Note()

        /// Does not count when metadata are compared.
        fileprivate struct Note: Sendable, Equatable {
            var isSet = false

            static func == (left: Note, right: Note) -> Bool { true }
        }

        fileprivate init(of document: Document) {
            let facts = document.facts
            id = document.id
            revision = document.revisionText
            isDeleted = facts.isDeleted
            createDate = facts.created.map(Date.init)
            lastChange = facts.changed.map(Date.init)
            expirationDate = facts.expiration.map(Date.init)
            channels = document.channels
            type = document.string(Document.typeMember)
        }
    }

    private static let channelsMember = "channels"
    /// The member that says what kind of document it is.
    static let typeMember = "type"

    /// The identifier, revision, dates, channels, and type.
    ///
    /// `channels` and `type` are members of the document like any other; setting them here sets
    /// those members.
    public var metaData: MetaData {
        get { MetaData(of: self) }
        set {
            let isSame = id.utf8.elementsEqual(newValue.id.utf8)
            id = newValue.id
            if isSame, newValue.revision != revisionText {
                facts.revision = newValue.revision.flatMap { Revision($0) }
                facts.unreadableRevision = facts.revision == nil ? newValue.revision : nil
            }
            let expiration = newValue.expirationDate.flatMap { Timestamp(expiring: $0) }
            if newValue.expirationNote.isSet || expiration != facts.expiration {
                facts.expiration = expiration
                facts.isExpirationSet = true
            }
            if newValue.type != string(Self.typeMember) { self[Self.typeMember] = newValue.type }
            if newValue.channels != channels {
                self[Self.channelsMember] = newValue.channels.isEmpty ? nil : newValue.channels
            }
        }
    }

    /// The revision of the metadata, without the rest of them.
    package var revisionText: String? { facts.revision?.description ?? facts.unreadableRevision }

    /// The revision that the document has in the store; nil for one that was never saved.
    package var storedRevision: Revision? { facts.revision }

    private var channels: [String] {
        guard case .array(let elements)? = self[json: Self.channelsMember] else { return [] }
        return elements.compactMap { element in
            if case .string(let name) = element { name } else { nil }
        }
    }
}
