/// What an import did; tombstones count as documents here.
public struct ImportSummary: Sendable, Equatable {
    /// Documents that were not there before.
    public internal(set) var addedCount = 0
    /// Documents that took the place of one that was there.
    public internal(set) var replacedCount = 0
    /// Documents that were there with the same revision.
    public internal(set) var unchangedCount = 0
    /// Documents left out, because the database had another version of them that was to be kept.
    public internal(set) var keptCount = 0
    /// Contents of attachments that were read.
    public internal(set) var contentCount = 0

    /// Documents that are stored because of this import.
    public var storedCount: Int { addedCount + replacedCount }

    mutating func count(_ restoration: Restoration) {
        switch restoration {
        case .added: addedCount += 1
        case .replaced: replacedCount += 1
        case .unchanged: unchangedCount += 1
        case .kept: keptCount += 1
        }
    }
}
