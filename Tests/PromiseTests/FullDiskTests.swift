import Foundation
import Settle
import StoreChild
import TestSupport
import Testing

/// A small disk is written full, through the public interface.
@Suite(
    .serialized,
    .enabled(
        if: SmallDisk.isPermitted,
        "A small file system in memory can only be mounted on Linux, by root."))
struct FullDiskTests {
    @Test(arguments: [Database.Durability.full, .relaxed])
    func `a full disk is an error, nothing is lost, and with room writing goes on`(
        durability: Database.Durability
    ) async throws {
        let disk = try SmallDisk(mebibytes: 4)
        defer { withExtendedLifetime(disk) {} }
        let seed = KillSettings.seed
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 2 << 20).write(to: ballast)

        let configuration = ChildDatabase.configuration(in: disk.url, durability: durability)
        let database = try #require(try await Database.open(with: configuration, create: true))
        var model = StoreModel(seed: seed, profile: .mixed, lanes: Self.lanes)
        let (lane, number) = try await fill(database, &model)

        // Reading goes on as if nothing had happened, and the failed batch has left no trace; the
        // index may want room that is not there.
        #expect(try database.totalDocumentCount == model.entries.count)
        #expect(try database.lastSequence == UInt64(model.changeCount))
        #expect(try database.read { try $0.lastBatch(ofLane: lane) } == number - 1)

        try FileManager.default.removeItem(at: ballast)
        let plan = BatchPlan(seed: seed, lane: lane, number: number, profile: .mixed)
        try await database.write { try plan.write(in: $0) }
        model.advance(lane: lane, to: number)
        let faults = try await StoreVerification(database: database, model: model).faults()
        #expect(faults.isEmpty, "SETTLE_SEED=\(seed): \(faults.prefix(5))")

        await database.close()
        let again = try #require(try await Database.open(with: configuration))
        let later = try await StoreVerification(database: again, model: model).faults()
        #expect(later.isEmpty, "SETTLE_SEED=\(seed), opened again: \(later.prefix(5))")
        await again.close()
    }

    /// More lanes hold more documents, so that the disk gets full.
    private static let lanes = 20

    /// Writes batches, lane by lane, until there is no room.
    ///
    /// - Returns: The batch for which there was none.
    private func fill(
        _ database: Database, _ model: inout StoreModel
    ) async throws -> (lane: Int, number: Int) {
        for number in 1...200 {
            for lane in 0..<Self.lanes {
                let plan = BatchPlan(
                    seed: model.seed, lane: lane, number: number, profile: .mixed)
                do {
                    try await database.write { try plan.write(in: $0) }
                    model.advance(lane: lane, to: number)
                } catch let error as DatabaseError {
                    #expect(error.code == .diskFull, "\(error)")
                    return (lane, number)
                }
            }
        }
        throw NeverFull()
    }

    private struct NeverFull: Error {}
}
