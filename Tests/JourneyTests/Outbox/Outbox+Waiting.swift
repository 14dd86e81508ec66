import SettleOutbox

extension Outbox {
    /// Waits until the outbox is empty.
    func isEmptied() async throws {
        // From before the first look, so that nothing is missed.
        var changes = queueChanges.makeAsyncIterator()
        while try !read({ try $0.operations().isEmpty }), await changes.next() != nil {}
    }
}
