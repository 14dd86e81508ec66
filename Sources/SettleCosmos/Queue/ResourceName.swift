import SettleDocuments

extension Cosmos {
    /// What a resource is known by to the app: its link by ids, and for what is in a logical partition the key of
    /// that, because ids are unique only there.
    struct ResourceName: Sendable, Hashable {
        let link: Link
        /// The key as a header has it; empty outside of a partition.
        let partition: String

        init(_ link: Link, partition: String) {
            self.link = link
            self.partition = link.nearest(.document) == nil ? "" : partition
        }

        /// The resource around it; nil for one of the account.
        var parent: ResourceName? {
            link.parent.map { ResourceName($0, partition: partition) }
        }

        /// Whether it is in the logical partition of a key, or in one of those that a beginning of a hierarchical key
        /// stands for.
        func isInPartition(_ key: String) -> Bool {
            key.isEmpty || partition == key || partition.hasPrefix("\(key.dropLast()),")
        }

        /// The text that it is stored as.
        var text: String { "\(link.text)\u{0}\(partition)" }

        /// Reads a stored text.
        init?(text: String) {
            guard let end = text.lastIndex(of: "\u{0}"),
                let link = Link(String(text[..<end]), isByResourceIds: false)
            else { return nil }
            self.init(link, partition: String(text[text.index(after: end)...]))
        }

        /// Its digest: the key that it is found by.
        var digest: [UInt8] { ContentDigest(of: Array(text.utf8)).bytes }

        /// What queued writes of it are found by.
        var queueId: String {
            var text: [UInt8] = []
            text.reserveCapacity(2 * ContentDigest.length)
            for byte in digest {
                text.append(Self.digits[Int(byte >> 4)])
                text.append(Self.digits[Int(byte & 15)])
            }
            return String(decoding: text, as: UTF8.self)
        }

        private static let digits = Array("0123456789abcdef".utf8)

        /// What queued writes of what is in it are found by.
        var belowQueueId: String { "below \(queueId)" }
    }
}

extension Cosmos.Operation.Partition {
    /// The key as a header has it; empty when it is no one key.
    var keyText: String {
        if case .key(let key) = self { key.headerText } else { "" }
    }
}
