/// That a document and something on a cloud service belong together.
public struct CloudLink: Sendable, Hashable {
    /// What the service knows it by.
    public let uri: String
    /// The document.
    public let documentId: String
    /// True as long as the service is not known to have what the URI names: the document was attached
    /// before it was uploaded.
    public let isPending: Bool
    /// False while the document is not there, in the closure that attaches it before storing it.
    public let hasDocument: Bool
}
