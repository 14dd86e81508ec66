/// One entry of a tree: three byte strings that mean nothing to it.
package struct TreeEntry: Sendable, Equatable {
    /// What entries are ordered by; not empty, and never beginning with FF.
    package var key: [UInt8]
    /// What many neighbours are likely to share; stored once for equal ones in a row.
    package var head: [UInt8]
    /// The rest.
    package var tail: [UInt8]

    /// An entry of these bytes.
    package init(key: [UInt8], head: [UInt8], tail: [UInt8]) {
        self.key = key
        self.head = head
        self.tail = tail
    }
}

/// A change of one entry of a tree.
package struct TreeEdit: Sendable {
    /// The key of the entry; not empty, and never beginning with FF.
    package var key: [UInt8]
    /// What the entry is to hold, whether or not it is there; nil when it is to be removed.
    package var entry: (head: [UInt8], tail: [UInt8])?

    /// A change of the entry with this key.
    package init(key: [UInt8], entry: (head: [UInt8], tail: [UInt8])?) {
        self.key = key
        self.entry = entry
    }
}
