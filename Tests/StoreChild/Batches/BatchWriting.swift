package import Settle

extension BatchPlan {
    /// Writes the batch: additions, changes of documents that are there, deletions, and the head.
    ///
    /// - Parameters:
    ///   - transaction: Where to.
    ///   - streamed: Attachments whose content was brought in before, by document.
    /// - Throws: What the library throws.
    package func write(
        in transaction: Transaction, streamed: [String: DocumentAttachment] = [:]
    ) throws {
        for step in steps {
            let attachments =
                streamed[step.entry.id].map { [$0] } ?? step.entry.attachments
            if let document = try transaction.document(step.entry.id) {
                if step.mayDelete {
                    try transaction.delete(documentWithId: step.entry.id)
                } else {
                    var document = document
                    step.entry.fillMembers(of: &document)
                    document.attachments = attachments
                    try transaction.update(document)
                }
            } else {
                var document = Document(id: step.entry.id)
                step.entry.fillMembers(of: &document)
                document.attachments = attachments
                try transaction.add(document)
            }
        }
        var document = try transaction.document(head.id) ?? Document(id: head.id)
        head.fillMembers(of: &document)
        try transaction.save(document)
    }
}

extension Snapshot {
    /// The number of the last batch of a lane that is here; 0 when there is none.
    package func lastBatch(ofLane lane: Int) throws -> Int {
        try document(BatchPlan.headID(lane))?.integer("batch") ?? 0
    }
}
