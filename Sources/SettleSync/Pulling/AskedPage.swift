/// A page of a pull, with how it was asked for.
struct AskedPage: Sendable {
    var page: PullPage
    /// Where the page before ended, and what is stored as the query's token before this page is.
    let token: PullToken?
    let context: PageContext
    /// Whether it is the first of its pull.
    var isFirst = false

    /// Where the page ends.
    var endToken: PullToken? { page.token ?? token }

    /// Whether there is anything to store of it.
    var isNews: Bool { page.itemCount > 0 || page.token != token }

    /// The page with its items made, which all describe their attachments where the pull carries those.
    func made() -> AskedPage {
        var asked = self
        asked.page = page.describingAttachments(context.carriesAttachments)
        return asked
    }

    /// Checks that the pull goes on behind the page.
    ///
    /// - Throws: ``ReplicationError`` with `protocolViolation`.
    func check() throws(ReplicationError) {
        guard !isFirst, !page.isLast, page.token == token || page.token == nil else { return }
        throw ReplicationError(
            .protocolViolation,
            "The remote sent a page that ends where it began, so the pull would never end.")
    }
}
