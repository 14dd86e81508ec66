/// Models in an order, and the documents among them that cannot be read.
public struct ModelList<Model: DocumentModel>: RandomAccessCollection, Sendable {
    private var models: [Stored<Model>] = []
    /// The documents that are not what the model expects, in the same order; no list fails for their
    /// sake.
    public private(set) var unreadable: [UnreadableDocument] = []

    /// No models.
    public init() {}

    /// The place of the first model.
    public var startIndex: Int { models.startIndex }
    /// The place behind the last model.
    public var endIndex: Int { models.endIndex }

    /// The model in a place.
    public subscript(position: Int) -> Stored<Model> { models[position] }

    mutating func append(_ row: ModelRow<Model>) {
        if let stored = row.stored {
            models.append(stored)
        } else if let error = row.error, let document = row.row.document {
            unreadable.append(UnreadableDocument(document: document, error: error))
        }
    }

    mutating func append(_ document: Document) {
        do throws(DatabaseError) {
            models.append(try Stored(document))
        } catch {
            unreadable.append(UnreadableDocument(document: document, error: error))
        }
    }
}
