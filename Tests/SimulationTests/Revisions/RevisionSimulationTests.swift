import Foundation
import Settle
import SettleREST
import SettleSync
import TestSupport
import Testing

@testable import SettleServer

/// Databases in any topology that replicate with each other while everything goes wrong, by seeds.
///
/// `SETTLE_REVISION_SEEDS` and `SETTLE_REVISION_FIRST_SEED` say which seeds are tried.
@Suite struct `Simulation of replication by revisions` {
    private static let first = number("SETTLE_REVISION_FIRST_SEED") ?? 1
    private static let count = number("SETTLE_REVISION_SEEDS") ?? 500
    /// How many run at once: they wait for the disk more than they work.
    private static let laneCount: UInt64 = 10

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(.timeLimit(.minutes(600)), arguments: 0..<laneCount)
    func `ends with the same winners and the same leaves everywhere`(lane: UInt64) async throws {
        let seeds = stride(
            from: Self.first + lane, to: Self.first + Self.count, by: Int(Self.laneCount))
        for seed in seeds { try await run(seed) }
    }

    private func run(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let names = ["a", "b", "c", "d", "e", "f"].prefix(Int.random(in: 2...6, using: &generator))
        let topology = RevisionTopology.allCases.randomElement(using: &generator) ?? .line
        let edges = topology.edges(of: Array(names))
        try await withRevisionWorld(Array(names)) { world in
            var simulation = RevisionSimulation(world: world, edges: edges, generator: generator)
            for _ in 0..<30 { try await simulation.step() }
            let rounds = try await simulation.replicateUntilQuiet()
            let expected = try await world.state(of: names[0])
            for name in names {
                let state = try await world.state(of: name)
                #expect(
                    state == expected,
                    "Seed \(seed), \(topology) of \(names.count): '\(name)' after \(rounds) rounds\n\(simulation.journal.joined(separator: "\n"))"
                )
                let problems = try await world.database(name).check()
                #expect(problems.isEmpty, "Seed \(seed): \(problems)")
            }
        }
    }
}

/// Who replicates with whom.
enum RevisionTopology: CaseIterable {
    case line, ring, star, mesh

    func edges(of names: [String]) -> [(String, String)] {
        let pairs = Array(zip(names, names.dropFirst()))
        switch self {
        case .line: return pairs
        case .ring: return pairs + (names.count > 2 ? [(names[names.count - 1], names[0])] : [])
        case .star: return names.dropFirst().map { ($0, names[0]) }
        case .mesh:
            return names.indices.flatMap { left in
                names[(left + 1)...].map { (names[left], $0) }
            }
        }
    }
}

/// One run: what happens at random, and then the end of it.
struct RevisionSimulation {
    let world: RevisionWorld
    let edges: [(String, String)]
    var generator: SeededGenerator
    private(set) var journal: [String] = []

    init(world: RevisionWorld, edges: [(String, String)], generator: SeededGenerator) {
        self.world = world
        self.edges = edges
        self.generator = generator
    }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: try await write()
        case 5..<8: await replicate()
        case 8: try await resolve()
        default:
            journal.append("restart")
            await world.restart()
        }
    }

    private mutating func write() async throws {
        let name = any(world.names)
        let id = "document \(Int.random(in: 0..<6, using: &generator))"
        let value = Int.random(in: 0..<4, using: &generator)
        let deletes = Int.random(in: 0..<4, using: &generator) == 0
        let attaches = Int.random(in: 0..<4, using: &generator) == 0
        journal.append("\(name): \(deletes ? "delete" : "write \(value) to") \(id)")
        try await world.database(name).write { transaction in
            guard var document = try transaction.document(id) else {
                var document = Document(id: id)
                document["value"] = value
                _ = try transaction.save(document)
                return
            }
            if deletes {
                _ = try transaction.delete(documentWithId: id)
            } else {
                document["value"] = value
                if attaches {
                    document.attachments = [
                        DocumentAttachment(
                            name: "note", contentType: "text/plain",
                            data: Data("content \(value)".utf8))
                    ]
                }
                _ = try transaction.save(document)
            }
        }
    }

    private mutating func resolve() async throws {
        let name = any(world.names)
        let database = try await world.database(name)
        for conflicted in try database.conflictedDocuments() {
            journal.append("\(name): resolve \(conflicted.id)")
            let document = try database.read { try $0.conflicts(of: conflicted.id).last }
            try await database.resolveConflicts(of: conflicted.id, with: document)
        }
    }

    private mutating func replicate() async {
        let edge = any(edges)
        let (here, there) = Bool.random(using: &generator) ? edge : (edge.1, edge.0)
        let direction = any(ReplicationDirection.allCases)
        var cut = ""
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let place = Int.random(in: 0..<12, using: &generator)
            let kind: FaceTransport.Cut = Bool.random(using: &generator) ? .request : .answer
            world.transport.cut(after: place, kind)
            cut = ", the \(kind) cut after \(place)"
        }
        journal.append("\(here) with \(there), \(direction)\(cut)")
        do {
            try await world.replicate(here, with: there, direction: direction)
        } catch {
            journal.append("    failed: \(error)")
        }
        world.transport.mend()
    }

    /// Replicates along all edges until nothing is new.
    ///
    /// - Returns: How often that was done.
    mutating func replicateUntilQuiet() async throws -> Int {
        for round in 1...world.names.count + 1 {
            var moved = 0
            for (here, there) in edges {
                let summary = try await world.replicate(here, with: there)
                moved += summary.pulled + summary.pushed
            }
            if moved == 0 { return round }
        }
        return .max
    }
}
