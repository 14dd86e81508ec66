package import Settle
import SettleIndexing

// What another process does to the file: the open database is not informed of it.

extension Database {
    /// Builds a declared index, or puts it in the place of the one with its name.
    package func buildElsewhere(_ declaration: IndexDeclaration) async throws {
        let index = RegisteredIndex(
            declaration.view, number: -1, isCurrent: { true }, applied: { _ in })
        try await indexEngine.bringUpToDate(index, to: lastSequence, report: nil)
    }

    /// Removes an index.
    package func removeElsewhere(named name: String) async throws {
        try await indexEngine.remove(named: name)
    }
}
