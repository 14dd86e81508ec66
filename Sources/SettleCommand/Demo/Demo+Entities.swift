import Foundation
import Settle
import SettleEntities
import SettleREST
import SettleSync

/// Entities: what two devices did to one of them is merged.
extension Demo {
    /// Edits one person on two devices that do not know of each other, and lets them meet.
    func mergePerson(with server: DemoServer) async throws {
        try await story.step("Two devices edit one person offline; entities merge by property.") {
            let table = server.table.deletingLastPathComponent().appending(path: "people")
            var replication = ReplicationConfiguration(
                url: table, isRepeating: false,
                options: TableRemote.options(token: try await server.token(for: "people")))
            replication.scope = .entities
            replication.conflictHandler = .entities
            var devices: [Datastore] = []
            for (name, key, value) in [("phone", "phone", "555-0100"), ("laptop", "city", "Lyon")] {
                let device = try await Datastore.load(configuration("people-\(name)"), device: name)
                let person = Entity.identifiedBy("anna", createAs: "person", with: ["name": "Anna"])
                person.addUpdates([PropertyKey(key): value, "name": "Anna of the \(name)"])
                try await device.update(properties: [person])
                devices.append(device)
            }
            for device in devices + devices {
                try await device.database.replicate(with: replication)
            }
            var entryCount = 0
            for device in devices {
                let anna = Entity.identifiedBy("anna")
                let merged = try await device.get(allPropertiesOf: [anna])[0]
                try story.expect(merged.count, toBe: 3, "properties of the person")
                try story.expect(
                    try device.database.replicationConflicts().count, toBe: 0, "conflicts left")
                entryCount = try await device.history(of: anna).count
                try story.expect(entryCount, toBe: 8, "entries of the person, none lost")
            }
            return
                "1 person with \(Quantity.count(entryCount, "entry", plural: "entries")) on both,"
        }
    }
}
