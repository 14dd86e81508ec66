import TestSupport

/// What a table is set up in.
struct Surroundings: Sendable {
    let seed: UInt64
    let time: SimulatedTime
    let journal: Journal
    let ledger: Ledger
    let scratch: ScratchDirectory
}

/// Sets up the table of a world by chance.
typealias TableFounding =
    @Sendable (inout SeededGenerator, Surroundings) async throws ->
    any SimulatedTable
