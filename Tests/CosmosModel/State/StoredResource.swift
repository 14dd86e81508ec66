import SettleDocuments

/// A resource of any kind but a partition key range.
struct StoredResource: Sendable {
    let kind: ResourceKind
    /// The number by which the state knows it; later ones have higher numbers.
    let number: UInt64
    let identifier: ResourceIdentifier
    /// The resource it is in.
    let parent: UInt64?
    /// The resource with the system's members.
    var body: JSONValue
    var etag: String
    /// When it was last written, in seconds since 1970.
    var timestamp: Int64
    /// Of a document: the number of its last write in the collection.
    var sequence: Int64 = 0
    /// Of a document: its partition key.
    var key: PartitionKeyValue?
    /// Of a document: the hash of its key.
    var effectiveKey = ""
    /// Of a document: whether queries find it.
    var isIndexed = true

    var id: String { body["id"]?.stringValue ?? "" }

    /// The path by identifiers, with a slash at its end.
    var selfLink: String { body["_self"]?.stringValue ?? "" }
}

/// What a feed is found by.
struct FeedKey: Hashable, Sendable {
    var parent: UInt64?
    var kind: ResourceKind
}

/// The name of a resource in its feed: of documents, with the partition key.
struct ResourceName: Hashable, Sendable {
    var id: String
    var key: PartitionKeyValue?
}

/// The resources of one kind in one parent.
struct ResourceFeed: Sendable {
    /// Their numbers, lowest first.
    private(set) var numbers: [UInt64] = []
    private(set) var numbersByName: [ResourceName: UInt64] = [:]

    /// Adds a resource that is newer than all others.
    mutating func append(_ number: UInt64, named name: ResourceName) {
        numbers.append(number)
        numbersByName[name] = number
    }

    /// Removes a resource.
    mutating func remove(named name: ResourceName) {
        guard let number = numbersByName.removeValue(forKey: name) else { return }
        numbers.remove(at: place(of: number))
    }

    /// Renames a resource.
    mutating func rename(_ name: ResourceName, to other: ResourceName) {
        numbersByName[other] = numbersByName.removeValue(forKey: name)
    }

    /// The numbers after one.
    func numbers(after number: UInt64) -> ArraySlice<UInt64> { numbers[place(of: number + 1)...] }

    /// The place of the first number that is not below one.
    private func place(of number: UInt64) -> Int {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
