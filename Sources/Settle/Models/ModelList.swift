/// Models in an order, and the documents among them that cannot be read.
public struct ModelList<Model: DocumentModel>: RandomAccessCollection, Sendable {
    private var models: [Stored<Model>] = []
    /// The documents that are not what the model expects, in the same order; no list fails for their
    /// sake.
    public private(set) var unreadable: [UnreadableDocument] = []

    init() {}

    public var startIndex: Int { models.startIndex }
    public var endIndex: Int { models.endIndex }

    public subscript(position: Int) -> Stored<Model> { models[position] }

    mutating func append(_ document: Document) {
        do throws(DatabaseError) {
            models.append(try Stored(document))
        } catch {
            unreadable.append(UnreadableDocument(document: document, error: error))
        }
    }
}
