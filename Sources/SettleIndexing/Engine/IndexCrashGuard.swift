import SettlePrimitives
import SettleStorage
import Synchronization

/// The crash guard of the indexes of a database: which documents its map functions have in hand, and
/// which those of dead processes had.
///
/// The lock guards the state; it is held while files are made or looked for, which happens seldom.
final class IndexCrashGuard: Sendable {
    private struct State {
        var own: (name: String, file: CrashGuard)?
        /// The files of dead processes, with the suspects that are not cleared yet.
        var left: [CrashGuardFolder.Left] = []
        var hasLooked = false
        var isClosed = false
    }
    private let state = Lock(State())
    private let folder: CrashGuardFolder

    /// The most workers that can note something at once.
    private static let slotCount = 256

    init(_ folder: CrashGuardFolder) {
        self.folder = folder
    }

    /// The name by which others know whether this process is alive.
    ///
    /// - Throws: ``StorageError`` when the file cannot be made.
    var worker: String {
        get throws { try own().name }
    }

    /// A place to note what one worker has in hand.
    ///
    /// - Throws: ``StorageError`` when the file cannot be made.
    func slot() throws -> CrashGuardSlot? {
        try own().file.slot()
    }

    private func own() throws -> (name: String, file: CrashGuard) {
        try state.withLock { state in
            if let own = state.own { return own }
            guard !state.isClosed else { throw StorageError.closed }
            look(&state)
            let own = try folder.makeFile(slotCount: Self.slotCount)
            state.own = own
            return own
        }
    }

    /// The documents that a process had in hand for an index when it died.
    ///
    /// It may have been killed from outside, and of several workers one was to blame at most. So a
    /// document is only a suspect until it ends a process while it is mapped alone.
    ///
    /// - Returns: Those that did, as they were then, and those that are still to be tried out, unless
    ///   they are among the former.
    func crashes(of definition: IndexDefinition) -> (proven: PoisonDocuments, suspects: [[UInt8]]) {
        state.withLock { state in
            look(&state)
            let noted = state.left.flatMap(\.suspects)
            var proven = PoisonDocuments()
            for suspect in noted where definition.isTrial(suspect.work) {
                proven.add(suspect.id, inTrial: suspect.work)
            }
            let suspicion = definition.work
            return (proven, Array(Set(noted.filter { $0.work == suspicion }.map(\.id))))
        }
    }

    /// Forgets a suspect that was mapped alone and ended nothing.
    func acquit(_ id: [UInt8], of definition: IndexDefinition) {
        let suspicion = definition.work
        clear { $0.work == suspicion && $0.id == id }
    }

    /// Forgets what was noted for an index that is up to date: it lists the documents by now.
    func clear(_ definition: IndexDefinition) {
        let suspicion = definition.work
        clear { $0.work == suspicion || definition.isTrial($0.work) }
    }

    /// Forgets suspects, and removes the files of which nothing is left.
    private func clear(_ isOver: (CrashSuspect) -> Bool) {
        state.withLock { state in
            guard !state.left.isEmpty else { return }
            let rest = state.left.map { left in
                CrashGuardFolder.Left(
                    name: left.name, suspects: left.suspects.filter { !isOver($0) })
            }
            for left in rest where left.suspects.isEmpty { folder.remove(left.name) }
            state.left = rest.filter { !$0.suspects.isEmpty }
        }
    }

    /// Finds what processes left that have died, once.
    private func look(_ state: inout State) {
        guard !state.hasLooked else { return }
        state.hasLooked = true
        state.left = folder.left()
    }

    /// Whether the process with this name is alive.
    func isAlive(_ worker: String) -> Bool {
        state.withLock { $0.own?.name } == worker || folder.isAlive(worker)
    }

    /// Lets go of the file, which goes when nobody works any more.
    func close() {
        state.withLock { state in
            state.own = nil
            state.isClosed = true
        }
    }
}
