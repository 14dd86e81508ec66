import Foundation
import Settle
import SettleOutbox
import TestSupport

/// A database in a directory of its own whose dates a test moves.
struct PipelineFixture {
    let time = ManualTime()
    let bench: OutboxBench
    private let directory: ScratchDirectory

    init() async throws {
        directory = try ScratchDirectory("pipeline")
        let time = self.time
        bench = try await OutboxBench(in: directory, clock: time.clock, now: { time.now })
    }

    /// Closes an outbox and the database.
    func end(_ outbox: Outbox) async {
        await outbox.close()
        await bench.database.close()
    }
}
