import Testing

/// Devices, a table server and a network on which everything goes wrong, by seeds.
///
/// `SETTLE_SIMULATION_SEEDS` and `SETTLE_SIMULATION_FIRST_SEED` say which seeds are tried,
/// `SETTLE_SIMULATION_REPORTS` how many schedules are printed.
@Suite(.serialized) struct `Simulation over HTTP` {
    @Test(.timeLimit(.minutes(600)))
    func `converges, loses nothing and repeats nothing`() async {
        let failures = await SeededRuns(
            countedBy: "SETTLE_SIMULATION_SEEDS", unlessGiven: 500,
            beginningAt: "SETTLE_SIMULATION_FIRST_SEED", TableModel.founding
        ).failures()
        #expect(
            failures.isEmpty,
            "\(failures.count) failed:\n\(failures.joined(separator: "\n"))")
    }
}
