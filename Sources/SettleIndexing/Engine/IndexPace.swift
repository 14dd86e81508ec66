import Foundation

/// How much of the work on an index is done at once.
package struct IndexPace: Sendable {
    /// The most changes that are mapped for one commit, so that other writers get their turn.
    package var changeCountMax = 2_000
    /// After how many bytes of rows a commit's changes are enough, so that they need little memory.
    package var changeByteCountMax = 16 << 20
    /// From how many changes on, at least half of the documents, an index is rebuilt rather than
    /// brought up to date.
    package var rebuildCountMin = 10_000
    /// The most rows that are merged in one commit.
    package var mergeCountMax = 200_000
    /// How many documents a worker of a build first takes at once.
    package var rangeCount = 4_096
    /// After how many documents, at the latest, the rows of a build are stored, so that a build that
    /// is broken off goes on from there; a few seconds of mapping are enough, too.
    package var storeCountMax = 262_144
    /// After how many bytes of rows they are.
    package var storeByteCountMax = 32 << 20
    /// How many workers a build has.
    package var workerCount = ProcessInfo.processInfo.activeProcessorCount
    /// How long a snapshot is held in which documents are mapped: the file cannot grow meanwhile.
    package var snapshotDuration = Duration.milliseconds(200)
    /// How long to wait for a process that builds the same index and has shown no progress.
    package var patience = Duration.seconds(30)

    /// The pace of an application.
    package init() {}
}
