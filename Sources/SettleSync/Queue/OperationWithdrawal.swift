/// What becomes of a document when its pending operation is withdrawn.
///
/// > Source: Azure Mobile Apps, `cancelOperationAndUpdateItem` and `cancelOperationAndDiscardItem`.
public enum OperationWithdrawal: String, Sendable, Hashable, CaseIterable {
    /// The document stays as it is here, and nothing is sent until it is edited again.
    ///
    /// The server keeps what it has. A later change there comes with the next pull, in the place of
    /// the document, unless that was edited by then.
    case keepOurs
    /// The document becomes what the server has, as far as is known here, or else as it says; one
    /// that the server does not have is deleted here, and nothing is sent.
    case takeTheirs
    /// The document is purged here, as if it had never been; the server keeps what it has.
    ///
    /// It comes again when it changes on the server, or when everything is fetched once more.
    case dropBoth
}
