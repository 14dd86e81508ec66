extension Cosmos {
    /// By which members the documents of one collection are spread, as it was read.
    struct KnownDefinition: Sendable, Hashable {
        /// The definition; nil for a collection without such a key.
        let definition: PartitionKeyDefinition?
        /// The self link of the collection that has it.
        let identity: Link?

        init(_ collection: ResourceBody?) {
            definition = collection.flatMap { DocumentCollection(body: $0).partitionKey }
            identity = collection?.selfLink
        }

        /// Whether it is that of the collection that was seen last under the name, which has this self link; nil when none
        /// is known.
        func holds(for seen: Link?) -> Bool { seen == nil || identity == nil || identity == seen }
    }
}
