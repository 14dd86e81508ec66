/// What reading an interchange came to.
public struct InterchangeSummary: Sendable, Hashable {
    /// An entity that was passed over.
    public struct Skipped: Sendable, Hashable {
        /// Its place in the list, from 1.
        public let number: Int
        /// Its identifier, if it has one.
        public let identifier: String?
        /// Why it was passed over.
        public let reason: String
    }

    /// How many entities were read, whether they changed anything or not.
    public internal(set) var entityCount = 0
    /// The entities that were passed over, because they have no identifier or no type.
    public internal(set) var skipped: [Skipped] = []
}
