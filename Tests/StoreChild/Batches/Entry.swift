package import Settle

/// A document as a batch writes it.
package struct Entry: Sendable, Equatable {
    /// The identifier.
    package let id: String
    /// The number of the batch that wrote it.
    package let batch: Int
    /// A number to index; nil in the document that tells how far a lane has come.
    package let value: Int?
    /// The sum of the values of the whole batch, the same in all its documents.
    package let sum: Int
    /// A letter to index.
    package let group: String?
    /// The length of a text, so that documents differ in size.
    package let textLength: Int
    /// What is attached, if something is.
    package let content: ContentPlan?

    /// Puts the members into a document that is there, or is new.
    package func fillMembers(of document: inout Document) {
        document["batch"] = batch
        document["value"] = value
        document["sum"] = sum
        document["group"] = group
        document["text"] = String(repeating: "x", count: textLength)
    }

    /// What is attached, with its content in memory.
    package var attachments: [DocumentAttachment] {
        content.map {
            [
                DocumentAttachment(
                    name: ContentPlan.name, contentType: ContentPlan.type, data: $0.data)
            ]
        } ?? []
    }
}
