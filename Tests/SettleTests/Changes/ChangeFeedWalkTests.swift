import Settle
import TestSupport
import Testing

/// What the feed must tell, kept the simplest way: the last change of each document.
private struct FeedOracle {
    struct State: Equatable {
        var sequence: UInt64
        var isDeleted = false
        var isPurged = false
        var origin: String?
        var number: Int?
    }

    private(set) var states: [String: State] = [:]
    private(set) var sequence: UInt64 = 0

    mutating func save(_ id: String, _ number: Int, from origin: String? = nil) {
        sequence += 1
        states[id] = State(sequence: sequence, origin: origin, number: number)
    }

    mutating func delete(_ id: String) {
        guard let state = states[id], !state.isDeleted else { return }
        sequence += 1
        states[id] = State(sequence: sequence, isDeleted: true)
    }

    mutating func purge(_ id: String) {
        guard let state = states[id], !state.isPurged else { return }
        sequence += 1
        states[id] = State(sequence: sequence, isDeleted: true, isPurged: true)
    }

    /// The documents that changed after a sequence, in order.
    func changed(since start: UInt64) -> [String] {
        states.filter { $0.value.sequence > start }
            .sorted { $0.value.sequence < $1.value.sequence }.map(\.key)
    }
}

/// A reader that keeps what it was told, as an application would, and begins where it stopped.
private struct Follower {
    let wanted: @Sendable (String) -> Bool
    let isLive: Bool
    private(set) var kept: [String: FeedOracle.State] = [:]
    private(set) var lastSequence: UInt64 = 0
    private(set) var faults: [String] = []

    init(isLive: Bool, wanted: @escaping @Sendable (String) -> Bool) {
        self.isLive = isLive
        self.wanted = wanted
    }

    /// Goes on from its place until the database's sequence is reached or so many were read.
    mutating func read(_ database: Database, countMax: Int) async throws {
        let target = try database.lastSequence
        let feed = database.changes(
            since: lastSequence, isLive: isLive, includesDocuments: true
        ) { [wanted] change, _ in wanted(change.documentId) }
        var iterator = feed.makeAsyncIterator()
        var count = 0
        // A live feed would wait: what is missing may be of no interest to this reader.
        while count < countMax, iterator.lastSequence < target,
            let element = try await iterator.next()
        {
            take(element)
            count += 1
        }
        lastSequence = max(lastSequence, iterator.lastSequence)
    }

    private mutating func take(_ element: ChangeFeed.Element) {
        let change = element.change
        if !wanted(change.documentId) { faults.append("\(change.documentId) is not wanted.") }
        if change.sequence <= lastSequence {
            faults.append("\(change.sequence) comes after \(lastSequence).")
        }
        if (element.document == nil) != change.isDeleted {
            faults.append("\(change.documentId) has no document, or one too many.")
        }
        kept[change.documentId] = FeedOracle.State(
            sequence: change.sequence, isDeleted: change.isDeleted, isPurged: change.isPurged,
            origin: change.origin, number: element.document?["n"] as? Int)
        lastSequence = element.lastSequence
    }
}

@Suite(.serialized) struct `A change feed beside random writes` {
    private static let ids = (0..<40).map { "d\($0)" }

    @Test func `tells of everything once, wherever it is broken off`() async throws {
        for _ in 0..<4 { try await walk(SeededGenerator()) }
    }

    private func walk(_ seeded: SeededGenerator) async throws {
        var generator = seeded
        try await withDatabase { database async throws in
            var oracle = FeedOracle()
            var followers = [
                Follower(isLive: false) { _ in true },
                Follower(isLive: true) { _ in true },
                Follower(isLive: false) { $0.hasSuffix("3") || $0.hasSuffix("7") },
                Follower(isLive: false) { _ in false },
            ]
            for step in 0..<150 {
                try await write(to: database, &oracle, &generator)
                for index in followers.indices where Int.random(in: 0..<4, using: &generator) == 0 {
                    let countMax = Int.random(in: 0...12, using: &generator)
                    try await followers[index].read(database, countMax: countMax)
                }
                let sequence = try database.lastSequence
                #expect(sequence == oracle.sequence, "\(seeded), step \(step)")
                let start = UInt64.random(in: 0...sequence, using: &generator)
                let found = try await all(database.changes(since: start)).map(\.change.documentId)
                #expect(found == oracle.changed(since: start), "\(seeded), step \(step)")
            }
            for index in followers.indices {
                try await followers[index].read(database, countMax: .max)
                let follower = followers[index]
                #expect(follower.faults == [], "\(seeded), follower \(index)")
                let wanted = oracle.states.filter { follower.wanted($0.key) }
                #expect(follower.kept == wanted, "\(seeded), follower \(index)")
                #expect(follower.lastSequence == oracle.sequence, "\(seeded), follower \(index)")
            }
        }
    }

    /// Several changes in one commit.
    private func write(
        to database: Database, _ oracle: inout FeedOracle, _ generator: inout SeededGenerator
    ) async throws {
        var steps: [(id: String, kind: Int, number: Int)] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let id = Self.ids.randomElement(using: &generator) ?? ""
            let kind = Int.random(in: 0..<8, using: &generator)
            let number = Int.random(in: 0..<1_000_000, using: &generator)
            steps.append((id, kind, number))
            switch kind {
            case 0: oracle.delete(id)
            case 1: oracle.purge(id)
            case 2: oracle.save(id, number, from: "far")
            default: oracle.save(id, number)
            }
        }
        try await database.write { [steps] transaction in
            for (id, kind, number) in steps {
                let document: Document = ["id": .some(id), "n": .some(number)]
                switch kind {
                case 0: try transaction.delete(documentWithId: id)
                case 1: try transaction.purge(documentsWithIds: [id])
                case 2: try transaction.store(document, from: "far")
                default: try transaction.save(document)
                }
            }
        }
    }
}
