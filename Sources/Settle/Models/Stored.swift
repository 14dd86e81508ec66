public import Foundation

/// A model together with the document that it was read from.
///
/// The model's members are read and set as if they were this value's own. Saving writes what was changed,
/// member by member, and leaves the rest of the document as it is:
///
/// ```swift
/// if var visit = try await database.fetch(Visit.self, id: added.id) {
///     visit.minutes = 45
///     visit = try await database.save(visit)
/// }
/// ```
///
/// - A member of the model that was not changed is not written, even when the model would write it in
///   another form.
/// - A member that became nil is removed, unless the model writes null for it.
/// - The same holds inside objects. Members that the model does not know stay.
/// - An array whose elements are objects with an `id` is changed element by element, by that. Of other
///   arrays the elements that are still there stay as they are; a changed one becomes what the
///   model writes. Elements that the model passes over stay.
///
/// Members of the model that are named like one of this type (`attachments`, `document`, `id`, `purgeDate`,
/// `revision`) are reached through ``model``.
@dynamicMemberLookup
public struct Stored<Model: DocumentModel>: Identifiable, Sendable {
    /// The model; change it as you like.
    public var model: Model
    /// The document that the model was read from, as it was then.
    public let document: Document
    /// The document's attachments; change them as you like.
    public var attachments: [DocumentAttachment]
    /// When the document is purged here; see ``Document/MetaData/expirationDate``.
    public var purgeDate: Date?
    /// The model as it was read.
    ///
    /// What it writes may be another each time that it is decoded: the order of a set, or a value that it
    /// makes up where there is none.
    private let original: Model

    /// A model from a document.
    ///
    /// - Parameter document: The document.
    /// - Throws: ``DatabaseError`` with `invalidDocument`, which names the member, when the document is of
    ///   another type or the model cannot be decoded.
    public init(_ document: Document) throws(DatabaseError) {
        self.init(try ModelForm<Model>.model(of: document), of: document)
    }

    /// A model that was decoded before, with its document as it is now.
    init(_ model: Model, of document: Document) {
        self.model = model
        original = model
        self.document = document
        attachments = document.attachments
        purgeDate = document.metaData.expirationDate
    }

    /// The document's identifier.
    public var id: String { document.id }
    /// The revision that was read; nil when the document was never saved.
    public var revision: String? { document.revisionText }

    /// A member of the model.
    public subscript<Member>(dynamicMember path: KeyPath<Model, Member>) -> Member {
        model[keyPath: path]
    }

    /// A member of the model.
    public subscript<Member>(dynamicMember path: WritableKeyPath<Model, Member>) -> Member {
        get { model[keyPath: path] }
        set { model[keyPath: path] = newValue }
    }

    /// The document with everything that was changed since it was read.
    ///
    /// - Returns: The document, with the revision that was read.
    /// - Throws: `EncodingError`, or ``DatabaseError`` with `invalidDocument`, when the model cannot be a
    ///   document, or its identifier was changed.
    public func changedDocument() throws -> Document {
        try changedDocument(from: document)
    }

    /// Another state of the document with everything that was changed since this one was read.
    ///
    /// - Parameter current: The state.
    /// - Returns: The document, with the revision of that state.
    /// - Throws: As ``changedDocument()``; ``DatabaseError`` with `conflict` when the two states differ
    ///   in what was changed, too.
    func changedDocument(from current: Document) throws -> Document {
        // An object is the same one before and after: what it was, the document tells.
        let before = Model.self is AnyObject.Type ? try ModelForm.model(of: document) : original
        let change = MemberChange(
            before: try ModelForm.members(of: before, id: id),
            after: try ModelForm.members(of: model, id: id))
        var changed = current
        do {
            try change.apply(to: &changed, from: document)
            if attachments != document.attachments {
                guard current.attachments == document.attachments else {
                    throw MemberChange.Overlap()
                }
                changed.attachments = attachments
            }
            let (read, now) = (document.metaData.expirationDate, current.metaData.expirationDate)
            if purgeDate != read {
                guard now == read else { throw MemberChange.Overlap() }
                changed.metaData.expirationDate = purgeDate
            }
        } catch is MemberChange.Overlap {
            throw DatabaseError(
                .conflict,
                "The document '\(id)' was changed since it was read, in the same place as here; fetch it "
                    + "and apply the change again.",
                documentId: id, currentRevision: current.revisionText)
        }
        return changed
    }
}

extension Stored: Equatable where Model: Equatable {
    /// Equal are values of one state of a document with the same changes.
    public static func == (left: Stored, right: Stored) -> Bool {
        left.revision == right.revision && left.model == right.model
            && left.attachments == right.attachments && left.document == right.document
            && left.purgeDate == right.purgeDate
    }
}

/// What becomes of a model when its document was changed since it was read.
public enum ModelConflictPolicy: Sendable, Hashable {
    /// The save fails with ``DatabaseError/Code/conflict``.
    case fail
    /// What was changed in the model is changed in the document as it is now. Where both changed the
    /// same, the save fails all the same.
    case merge
}
