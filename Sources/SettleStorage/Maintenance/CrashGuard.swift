import SettleLMDB
import SettlePrimitives
import Synchronization

/// Records, so that it survives the death of the process, which documents its workers have in hand.
///
/// A file in the store's directory. Its owner's name stands in what it works on, so that others can
/// tell whether it is alive. The file is removed when the last slot is let go of.
package final class CrashGuard: Sendable {
    private let file: CrashGuardFile
    private let free: Lock<[Int]>

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - slotCount: How many workers there can be at once.
    /// - Throws: ``StorageError/engine(_:message:)`` when it cannot be made.
    package init(path: String, slotCount: Int) throws {
        file = try StorageError.translating { try CrashGuardFile(path: path, slotCount: slotCount) }
        free = Lock(Array((0..<slotCount).reversed()))
    }

    deinit {
        file.close()
    }

    /// A place for one worker to note what it has in hand; nil when all are taken.
    package func slot() -> CrashGuardSlot? {
        guard let slot = free.withLock({ $0.popLast() }) else { return nil }
        return CrashGuardSlot(of: self, number: slot)
    }

    fileprivate func set(_ bytes: Span<UInt8>, _ slot: Int) { file.set(bytes, slot: slot) }
    fileprivate func clear(_ slot: Int) { file.clear(slot: slot) }
    fileprivate func release(_ slot: Int) { free.withLock { $0.append(slot) } }

    /// What workers had in hand whose process has died.
    ///
    /// - Returns: nil while the owner of the file lives.
    /// - Throws: ``StorageError/engine(_:message:)`` when the file cannot be read or is no such file.
    package static func left(at path: String) throws -> [CrashSuspect]? {
        try StorageError.translating {
            try CrashGuardFile.remains(path: path)?.compactMap { CrashSuspect($0) }
        }
    }

    /// Removes the file of a process that has died.
    ///
    /// - Throws: ``StorageError/engine(_:message:)`` when it cannot be removed or is no such file.
    package static func remove(at path: String) throws {
        _ = try StorageError.translating { try CrashGuardFile.harvest(path: path) }
    }
}

/// A place to note what one worker has in hand; given back when it is let go of.
package final class CrashGuardSlot: Sendable {
    private let owner: CrashGuard
    private let number: Int

    fileprivate init(of owner: CrashGuard, number: Int) {
        self.owner = owner
        self.number = number
    }

    deinit {
        owner.release(number)
    }

    /// Notes a document, and a number that tells for which work.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - id: The identifier of the document, at most 255 bytes.
    package func set(_ work: UInt64, _ id: Span<UInt8>) {
        // No document has a longer one; damaged tables may.
        guard id.count <= 255 else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + id.count)
        bytes.append(fixed64: work)
        for index in 0..<id.count { bytes.append(id[index]) }
        owner.set(bytes.span, number)
    }

    /// Notes that nothing is in hand.
    package func clear() {
        owner.clear(number)
    }
}

/// A document that a worker had in hand when its process died.
package struct CrashSuspect: Sendable, Equatable {
    /// The work, as given to ``CrashGuardSlot/set(_:_:)``.
    package let work: UInt64
    /// The identifier of the document.
    package let id: [UInt8]

    init?(_ bytes: [UInt8]) {
        let span = bytes.span
        var position = 0
        guard let work = span.fixed64(at: &position), position < span.count else { return nil }
        self.work = work
        id = span.rest(from: position)
    }
}
