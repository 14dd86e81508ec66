/// Sorted entries, one after another: what a worker hands over, and what waits on disk for a merge.
///
/// Shape, the entries' of a run (Docs/Formats/Indexes.md), for each entry: how many bytes its key
/// shares with the key before (0 for the first), length of the rest, rest; length of the head + 1
/// and the head, or 0 when it is that of the entry before; length of the tail, tail. All numbers
/// are in groups of seven bits. Keys ascend, and no key comes twice.
package struct SortedRun: Sendable, Equatable {
    /// The entries' bytes.
    package var bytes: [UInt8]
    /// How many entries they are.
    package var entryCount: Int

    /// A run of bytes that were one before.
    ///
    /// They are not checked here; ``SortedRunMerge`` does when it reads them.
    package init(bytes: [UInt8], entryCount: Int) {
        self.bytes = bytes
        self.entryCount = entryCount
    }
}
