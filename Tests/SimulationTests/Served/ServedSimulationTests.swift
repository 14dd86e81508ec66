import TestSupport
import Testing

/// The simulation with real servers over HTTP in the place of a model.
///
/// `SETTLE_SIMULATION_SERVED_SEEDS` says how many seeds are tried with a directory,
/// `SETTLE_SIMULATION_POSTGRESQL_SEEDS` how many with PostgreSQL,
/// `SETTLE_SIMULATION_SERVED_FIRST_SEED` where they begin, and `SETTLE_SIMULATION_REPORTS` how many
/// schedules are printed.
@Suite(.serialized) struct `Simulation with real servers` {
    private static let firstName = "SETTLE_SIMULATION_SERVED_FIRST_SEED"

    @Test(.timeLimit(.minutes(600)))
    func `converges, loses nothing and repeats nothing with a directory`() async {
        let failures = await SeededRuns(
            countedBy: "SETTLE_SIMULATION_SERVED_SEEDS", unlessGiven: 30,
            beginningAt: Self.firstName, ServedTable.inDirectory
        ).failures()
        #expect(
            failures.isEmpty,
            "\(failures.count) failed:\n\(failures.joined(separator: "\n"))")
    }

    /// On Linux a missing PostgreSQL is a failure; elsewhere it is left out.
    private static var hasPostgreSQL: Bool {
        #if os(Linux)
            true
        #else
            PostgreSQLCluster.isAvailable
        #endif
    }

    @Test(.enabled(if: hasPostgreSQL), .timeLimit(.minutes(600)))
    func `converges, loses nothing and repeats nothing with PostgreSQL`() async {
        let failures = await SeededRuns(
            countedBy: "SETTLE_SIMULATION_POSTGRESQL_SEEDS", unlessGiven: 15,
            beginningAt: Self.firstName, ServedTable.inPostgreSQL
        ).failures()
        #expect(
            failures.isEmpty,
            "\(failures.count) failed:\n\(failures.joined(separator: "\n"))")
    }
}
