import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Records, so that it survives the death of the process, what each worker is working on.
///
/// Each worker has a slot and notes there, before it begins, what it begins with. When the work
/// ends the process, whoever comes next finds with ``harvest(path:)`` what was under way.
///
/// The file is mapped, so that a note is a copy in memory that the kernel keeps when the process is
/// gone, however it ended. A process that owns a file holds a lock on it, which goes with the
/// process; a second owner is told from the first even inside one process. A child made by a
/// fork without an exec shares the lock, so the file counts as owned while that child lives.
///
/// Safe to use from several threads as long as each slot is one worker's at a time, and nobody
/// is at work when ``close()`` is called.
package final class CrashGuardFile: @unchecked Sendable {
    /// Bytes of the longest record: an identifier, and nine more to say what it was worked on for.
    package static let byteCountMax = CrashGuardLayout.byteCountMax

    /// The file.
    package let path: String
    /// How many workers it has room for.
    package let slotCount: Int

    private let owned: OwnedCrashGuardFile
    private let memory: UnsafeMutableRawPointer
    private let isClosed = Atomic<Bool>(false)

    /// Makes the file, with every slot empty.
    ///
    /// What a dead process left at the path is replaced if it holds no records; harvest it first.
    ///
    /// - Parameters:
    ///   - path: The file, in a directory that exists, on a local file system.
    ///   - slotCount: How many workers there are, at least 1, at most 4,096.
    /// - Throws: ``LMDBError`` with `inUse` while another owner, here or in another process, has the
    ///   file, and when it holds records of a dead one; `invalid` when another program's file is at
    ///   the path; `diskFull`, `noSuchDirectory`, `permission`, `readOnly` as the system refuses.
    /// - Complexity: some ten system calls; 384 bytes of disk and memory a slot.
    package init(path: String, slotCount: Int) throws(LMDBError) {
        precondition(
            (1...CrashGuardLayout.slotCountMax).contains(slotCount),
            "A crash guard file has 1 to \(CrashGuardLayout.slotCountMax) slots.")
        owned = try OwnedCrashGuardFile(path: path, slotCount: slotCount)
        do throws(LMDBError) {
            memory = try owned.map()
        } catch {
            owned.remove()
            throw error
        }
        self.path = path
        self.slotCount = slotCount
    }

    deinit {
        close()
    }

    /// Notes what a worker works on, in place of what it worked on before.
    ///
    /// It survives the death of the process at any moment, not that of the machine. A process that
    /// dies inside this call leaves the new record or none.
    ///
    /// - Parameters:
    ///   - bytes: What it is, 1 to 264 bytes.
    ///   - slot: The worker's slot.
    /// - Complexity: a copy in memory; no system call.
    package func set(_ bytes: Span<UInt8>, slot: Int) {
        precondition(
            (1...CrashGuardLayout.byteCountMax).contains(bytes.count),
            "A record has 1 to \(CrashGuardLayout.byteCountMax) bytes.")
        let place = place(ofSlot: slot)
        let tag = Self.tag(at: place)
        bytes.withUnsafeBytes { record in
            guard let source = record.baseAddress else { return }
            let tagNew = CrashGuardLayout.tag(of: record)
            // The bytes must not be written before the old tag is gone, nor after the new one.
            tag.pointee.store(0, ordering: .relaxed)
            atomicMemoryFence(ordering: .acquiringAndReleasing)
            (place + CrashGuardLayout.recordOffset).copyMemory(
                from: source, byteCount: record.count)
            tag.pointee.store(tagNew, ordering: .releasing)
        }
    }

    /// Notes that a worker works on nothing.
    package func clear(slot: Int) {
        Self.tag(at: place(ofSlot: slot)).pointee.store(0, ordering: .releasing)
    }

    /// Gives the file up and removes it.
    ///
    /// Records that are still set are forgotten. Calls after the first do nothing; ``set(_:slot:)`` and
    /// ``clear(slot:)`` must not be called any more.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A file that cannot be removed must accuse nobody.
        for slot in 0..<slotCount {
            Self.tag(at: memory + CrashGuardLayout.offset(ofSlot: slot)).pointee
                .store(0, ordering: .releasing)
        }
        munmap(memory, CrashGuardLayout.sizeBytes(slotCount: slotCount))
        owned.remove()
    }

    private func place(ofSlot slot: Int) -> UnsafeMutableRawPointer {
        precondition((0..<slotCount).contains(slot), "A crash guard file has no slot \(slot).")
        precondition(
            !isClosed.load(ordering: .relaxed), "A crash guard file was used after its close.")
        return memory + CrashGuardLayout.offset(ofSlot: slot)
    }

    /// The tag of the slot at a place, which is where the slot begins.
    private static func tag(
        at place: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<Atomic<UInt64>> {
        place.assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

extension CrashGuardFile {
    /// The records that a process left that has died; the file stays.
    ///
    /// - Parameter path: The file.
    /// - Returns: As ``harvest(path:)``.
    /// - Throws: ``LMDBError`` with `invalid` when the file is another program's; `noSuchDirectory`,
    ///   `permission` as the system refuses.
    /// - Complexity: some ten system calls.
    package static func remains(path: String) throws(LMDBError) -> [[UInt8]]? {
        try DirectoryLock.holding(directoryOf: path) { () throws(LMDBError) -> [[UInt8]]? in
            switch try RemainingCrashGuardFile.find(path) {
            case .absent: []
            case .owned: nil
            case .remains(let records): records
            }
        }
    }

    /// Takes the records that a process left that has died.
    ///
    /// Each record is what a worker had begun and not ended. That one of them ended the process is
    /// likely and not certain: the process may have been killed from outside, and of several
    /// workers only one can have done it.
    ///
    /// - Parameter path: The file.
    /// - Returns: The records in the order of their slots, and the file is gone; none when there is no
    ///   file, or when the machine was started anew since the records were set. Nil while the
    ///   owner lives; the file is left as it is then.
    /// - Throws: ``LMDBError`` with `invalid` when the file is another program's, which is left as it
    ///   is; `noSuchDirectory`, `permission`, `readOnly` as the system refuses.
    /// - Complexity: some ten system calls.
    package static func harvest(path: String) throws(LMDBError) -> [[UInt8]]? {
        try DirectoryLock.holding(directoryOf: path) { () throws(LMDBError) -> [[UInt8]]? in
            switch try RemainingCrashGuardFile.find(path) {
            case .absent: return []
            case .owned: return nil
            case .remains(let records):
                guard unlink(path) == 0 else {
                    throw LMDBError(result: errno, operation: "remove a crash guard", path: path)
                }
                return records
            }
        }
    }
}
