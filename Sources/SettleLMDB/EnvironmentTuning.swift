/// Every number of this target, with its unit and reason.
package enum EnvironmentTuning {
    /// Bytes of map at first: address space only, and enough that few databases ever grow it.
    package static let mapSizeInitial = 256 << 20
    /// Bytes of map at most: 1 TiB of address space fits every 64-bit system we run on.
    package static let mapSizeMax = 1 << 40
    /// Reader slots: a slot is 64 bytes, and server threads times processes stay below this.
    package static let readersMax = 254
    /// Tables: a transaction holds 49 bytes for each.
    package static let tablesMax = 512
    /// Bytes of a key at most: the engine's default build, never a build-dependent limit.
    package static let keySizeMax = 511
    /// Bytes of a value at most: lengths beyond overflow 32-bit arithmetic in the engine.
    package static let valueSizeMax = Int(Int32.max)
    /// Seconds after which a read is called long: no query of ours should take as much.
    package static let longReaderSeconds = 60.0
    /// Seconds a growing writer waits for readers: longer than any query, shorter than patience.
    package static let gateWaitSeconds = 30.0
    /// Seconds an opening for writing waits for readers without locks: longer than one document
    /// takes, shorter than patience.
    static let readersWithoutLocksSeconds = 5.0
    /// Microseconds between two looks for them.
    static let markCheckMicroseconds: UInt32 = 10_000
    /// Microseconds between two looks whether another process has made a copy.
    static let copyCheckMicroseconds: UInt32 = 10_000
    /// How often a removal looks whether the database is still open elsewhere.
    static let removalCheckCountMax = 100
    /// Looks at a whole copy that still has its first name: who made it needs no second to take that away.
    static let copyNameCheckCountMax = 100
    /// Idle read transactions kept for the next reader; each holds a slot and 25 KiB.
    static let idleReadersMax = 16
    /// Seconds between looks for readers of dead processes, on writes.
    package static let readerCheckSeconds = 600.0
    /// Seconds for which a relaxed commit may be in the log without a flush: little to lose, and no flush
    /// that anybody notices.
    package static let relaxedSecondsMax = 1.0
    /// Seconds an opening for writing waits for processes that look whether the file was recovered.
    static let recoveryWaitSeconds = 5.0
    /// Looks of an opening for reading at a file that was not recovered: another may be about to do so.
    static let recoveryCheckCountMax = 10
    /// Mode of the files: documents are their owner's alone.
    static let fileMode: UInt32 = 0o600
    /// Mode of a directory made here.
    static let directoryMode: UInt32 = 0o700
    /// Bytes of free space under which a short write is taken for a full device.
    static let diskFullBytes: UInt64 = 1 << 20
}
