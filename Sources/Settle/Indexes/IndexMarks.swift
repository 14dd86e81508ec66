import SettleIndexing
import SettleStorage
import Synchronization

/// What this database notes about the documents its map functions have in hand, and what it found
/// of those that died.
///
/// The lock guards the state; it is held while files are made or looked for, which happens seldom.
final class IndexMarks: Sendable {
    private struct State {
        var own: (name: String, marks: WorkMarks)?
        /// The files of dead processes, with what is not settled of them.
        var left: [MarkFolder.Left] = []
        var hasLooked = false
        var isClosed = false
    }
    private let state = Mutex(State())
    private let folder: MarkFolder

    /// The most workers that can note something at once.
    private static let slotCount = 256

    init(_ folder: MarkFolder) {
        self.folder = folder
    }

    /// The name by which others know whether this process is alive.
    ///
    /// - Throws: ``StorageError`` when the file of marks cannot be made.
    var worker: String {
        get throws { try own().name }
    }

    /// A place to note what one worker has in hand.
    ///
    /// - Throws: ``StorageError`` when the file of marks cannot be made.
    func mark() throws -> WorkMark? {
        try own().marks.mark()
    }

    private func own() throws -> (name: String, marks: WorkMarks) {
        try state.withLock { state in
            if let own = state.own { return own }
            guard !state.isClosed else { throw StorageError.closed }
            look(&state)
            let own = try folder.makeMarks(slotCount: Self.slotCount)
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
    func crashes(of definition: ViewDefinition) -> (proven: CrashedDocuments, suspects: [[UInt8]]) {
        state.withLock { state in
            look(&state)
            let marks = state.left.flatMap(\.marks)
            var proven = CrashedDocuments()
            for mark in marks where definition.isTrial(mark.work) {
                proven.add(mark.id, inTrial: mark.work)
            }
            let suspicion = definition.work
            return (proven, Array(Set(marks.filter { $0.work == suspicion }.map(\.id))))
        }
    }

    /// Forgets a suspect that was mapped alone and ended nothing.
    func acquit(_ id: [UInt8], of definition: ViewDefinition) {
        let suspicion = definition.work
        settle { $0.work == suspicion && $0.id == id }
    }

    /// Forgets what was noted for an index that is up to date: it lists the documents by now.
    func settle(_ definition: ViewDefinition) {
        let suspicion = definition.work
        settle { $0.work == suspicion || definition.isTrial($0.work) }
    }

    /// Forgets marks, and removes the files of which nothing is left.
    private func settle(_ isSettled: (LeftMark) -> Bool) {
        state.withLock { state in
            guard !state.left.isEmpty else { return }
            let rest = state.left.map { left in
                MarkFolder.Left(name: left.name, marks: left.marks.filter { !isSettled($0) })
            }
            for left in rest where left.marks.isEmpty { folder.remove(left.name) }
            state.left = rest.filter { !$0.marks.isEmpty }
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
