import SettleDocuments

extension Cosmos {
    /// How large documents and batches may be: as JSON, which is what is sent and what the service measures.
    enum DocumentSize {
        /// The most bytes of a document, and of a batch.
        static let max = 2 << 20
        /// JSON is at most so many times as large as the form that it is packed in here.
        private static let growthMax = 8

        /// Whether something with a packed form of that size may be too large, so that it is worth to look.
        static func mayExceed(_ packedSize: Int) -> Bool { packedSize > max / growthMax }

        /// Refuses what is too large.
        ///
        /// - Throws: ``ClientError`` with `entityTooLarge`, as the service would answer.
        static func check(_ packed: PackedValue, _ subject: String) throws(ClientError) {
            guard mayExceed(packed.bytes.count), let text = try? JSONText.text(of: packed),
                text.count > max
            else { return }
            throw ClientError(
                .entityTooLarge, "It is not possible to \(subject): it has more than 2 MB.",
                statusCode: 413)
        }
    }
}
