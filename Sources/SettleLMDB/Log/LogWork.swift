import SettlePrimitives

/// What the writers of an environment and the thread of its log say to each other.
struct LogWork {
    /// A storage checkpoint whose records go on in the other segment already.
    struct Checkpoint {
        let head: LogHead
        /// The head before it, which must still be there.
        let previous: LogHead
        /// What kept the pages of the one before.
        let pin: EngineTransaction
        let file: LogFile
        let engine: EngineEnvironment
    }

    /// The checkpoint to be made; nil once that is done.
    var checkpoint: Checkpoint?
    /// Why nothing can be written any more.
    var failure: LMDBError?
    /// A read transaction without a snapshot, for the next checkpoint.
    var spare: EngineTransaction?
    /// The log while it is in use.
    var file: LogFile?
    var session: UInt32 = 0
    /// When the first record that is not flushed was written.
    var unflushedSince: ContinuousClock.Instant?
    var lastCommit = ContinuousClock.now
    var isStopping = false
    /// Whether the thread runs.
    var isRunning = false
}
