import Foundation
import Settle
import SettleEntities
import SettleREST
import SettleServer
import SettleSync
import TestSupport
import Testing

/// Devices that edit the same entities offline, and meet at a real server.
///
/// The larger part of the simulation, with lost requests and restarts, is in SettleEntitiesTests, with a server in memory.
@Suite(.serialized) struct `Devices with entities and a server` {
    private let place: JourneyPlace

    init() throws {
        place = try JourneyPlace("entities-served")
    }

    @Test func `come to the same, and each has every value that was ever written`() async throws {
        let table = try await place.server.start()
        let token = try await TableServer.token(secret: JourneyServer.secret, subject: "test")
        for seed in 1...12 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var configuration = ReplicationConfiguration(
                url: table.deletingLastPathComponent().appending(path: "people\(seed)"),
                isRepeating: false, options: ["token": token])
            configuration.scope = .entities
            configuration.conflictHandler = .entities
            var devices: [Datastore] = []
            for number in 0..<Int.random(in: 2...3, using: &random) {
                let database = try await place.database("s\(seed)-\(number)", durability: .relaxed)
                devices.append(try await Datastore.open(over: database, device: "\(number)"))
            }
            var written: [String: Set<String>] = [:]
            for step in 0..<30 {
                let device = devices[Int.random(in: devices.indices, using: &random)]
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try await device.database.replicate(with: configuration)
                    continue
                }
                let id = ["anna", "é/ñ", "C41DB873"][Int.random(in: 0..<3, using: &random)]
                let key = ["name", "phone"][Int.random(in: 0..<2, using: &random)]
                let reference = Entity.identifiedBy(id, createAs: "person")
                if Int.random(in: 0..<8, using: &random) == 0 {
                    try await device.delete(entities: [reference])
                    continue
                }
                reference.addUpdates([PropertyKey(key): "\(device.device)-\(step)"])
                try await device.update(properties: [reference])
                written["\(id) \(key)", default: []].insert("\(device.device)-\(step)")
            }
            for _ in 0..<3 {
                for device in devices { try await device.database.replicate(with: configuration) }
            }
            let contents = try devices[0].database.contents()
            for device in devices {
                #expect(try device.database.contents() == contents, "\(random)")
                for (place, values) in written {
                    let parts = place.split(separator: " ").map(String.init)
                    let history = try await device.history(
                        of: PropertyKey(parts[1]), in: Entity.identifiedBy(parts[0]))
                    let found = Set(history.compactMap { $0.value?.value?.string })
                    #expect(values.isSubset(of: found), "\(random), \(place)")
                }
                await device.database.close()
            }
        }
        try await place.server.stop()
    }
}
