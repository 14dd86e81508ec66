/// A type of the application whose values are documents.
///
/// An ordinary struct will do:
///
/// ```swift
/// struct Visit: DocumentModel {
///     static let documentType = "visit"
///     var id = UUID().uuidString
///     var customer: String
///     var minutes: Int?
/// }
/// let added = try await database.add(Visit(customer: "Bakery Moser"))
/// ```
///
/// A model says something about the members that its coding keys name, and about no others: what else a
/// document has (members of a newer version of the app, attachments, an expiration date) stays when the
/// model is saved. See ``Stored``.
public protocol DocumentModel: Codable, Identifiable, Sendable where ID == String {
    /// The member `type` of the model's documents, which tells them from those of other models.
    ///
    /// It is written when a model is saved and checked when one is read. The model may have a member
    /// `type` of its own that says the same; it need not.
    static var documentType: String { get }

    /// The members whose names are not those of their properties; none by default.
    ///
    /// Needed for key paths only: with `case minutes = "duration"` among the coding keys, `\.minutes` is
    /// found by `["minutes": "duration"]`. For a property of a property the key is its path, with dots:
    /// `["address.city": "town"]`.
    static var memberNames: [String: String] { get }
}

extension DocumentModel {
    /// No member has another name than its property.
    public static var memberNames: [String: String] { [:] }
}

/// A document that is not what its model expects.
public struct UnreadableDocument: Sendable {
    /// The document as it is stored.
    public let document: Document
    /// Why it cannot be read: the model and the member, not the content.
    public let error: DatabaseError
}
