import SettleLMDB

/// How a store is opened.
package struct StoreOptions: Sendable {
    /// True when a commit waits until it is on the disk; false when a power loss may take the last
    /// commits, in whole, but never the file.
    package var isFlushedAtCommit: Bool

    /// Options.
    package init(isFlushedAtCommit: Bool = true) {
        self.isFlushedAtCommit = isFlushedAtCommit
    }

    var environment: EnvironmentOptions {
        EnvironmentOptions(durability: isFlushedAtCommit ? .full : .relaxed)
    }
}
