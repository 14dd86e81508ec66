import Settle
import TestSupport
import Testing

@testable import SettleEntities

/// An entity as what it stands for: the set of all entries that were ever made, without any order.
///
/// The naive model that merging is held against.
struct EntrySet: Hashable {
    struct Element: Hashable {
        var key: String
        var entry: Entry
    }

    var elements: Set<Element>

    /// The greatest entry of each key.
    var current: [String: Entry] {
        Dictionary(grouping: elements, by: \.key).compactMapValues { entries in
            entries.map(\.entry).reduce(nil) { greatest, entry in
                guard let greatest else { return entry }
                return greatest.precedes(entry) ? entry : greatest
            }
        }
    }

    /// Every entry that is not current, nor forgotten by a removal.
    var history: Set<Element> {
        let current = current
        return elements.filter { element in
            current[element.key] != element.entry
                && !elements.contains { other in
                    other.key == element.key && other.entry.content == .removed
                        && element.entry.stamp <= other.entry.stamp
                }
        }
    }
}

/// What a device has: the entity, and the documents of its history.
struct Replica: Hashable {
    var state: EntityState
    var history: Set<EntrySet.Element>

    /// A device on which a set of entries was made in some order.
    init(_ elements: [EntrySet.Element], id: String = "e") {
        guard let creation = elements.first(where: { $0.key == Register.type }) else {
            preconditionFailure("An entity begins with its type.")
        }
        state = EntityState(
            id: id, first: creation.entry.stamp, entries: [Register.type: creation.entry])
        history = []
        for element in elements where element != creation {
            if let loser = state.take(element.entry, for: element.key) {
                history.insert(.init(key: element.key, entry: loser))
            }
        }
    }

    mutating func merge(_ other: Replica) {
        for (key, entry) in state.merge(other.state) {
            history.insert(.init(key: key, entry: entry))
        }
        // Documents of the history replicate by themselves.
        history.formUnion(other.history)
    }

    func merged(_ other: Replica) -> Replica {
        var replica = self
        replica.merge(other)
        return replica
    }

    /// The history that is shown.
    var shownHistory: Set<EntrySet.Element> {
        history.filter {
            !state.isForgotten($0.entry, of: $0.key) && state.entries[$0.key] != $0.entry
        }
    }
}

@Suite struct `Merging versions of an entity` {
    static let creation = EntrySet.Element(
        key: Register.type,
        entry: Entry(
            content: .value(.string("person"), type: nil), stamp: Stamp(moment: 1, device: "a")))

    /// Entries that meet in all ways: other moments, counters, devices, contents, states, a second creation, a deletion.
    static let universe: [EntrySet.Element] = {
        func entry(
            _ key: String, _ content: EntryContent, _ moment: Int64, _ counter: Int64 = 0,
            _ device: String = "a"
        ) -> EntrySet.Element {
            .init(
                key: key,
                entry: Entry(
                    content: content, stamp: Stamp(moment: moment, counter: counter, device: device)
                ))
        }
        return [
            entry("k", .value(.integer(1), type: nil), 2),
            entry("k", .value(.integer(2), type: nil), 2),
            entry("k", .value(.integer(1), type: nil), 2, 0, "b"),
            entry("k", .removed, 3, 1),
            entry("k", .value(.integer(3), type: "t"), 4),
            entry("l", .absent, 3, 0, "b"),
            entry(Register.deletion, .deleted, 3),
            entry(Register.type, .value(.string("book"), type: nil), 0, 0, "b"),
        ]
    }()

    /// Every version that can come of some of the entries, in the order of the list and against it.
    static let replicas: [Replica] = (0..<(1 << universe.count)).flatMap { bits -> [Replica] in
        let chosen = universe.indices.filter { bits & 1 << $0 != 0 }.map { universe[$0] }
        return [Replica([creation] + chosen), Replica([creation] + chosen.reversed())]
    }

    @Test func `gives what the set of all entries is, for every two versions of a small world`() {
        for left in 0..<(1 << Self.universe.count) {
            for right in stride(from: 0, to: 1 << Self.universe.count, by: 1) {
                let entries = EntrySet(
                    elements: Set(
                        [Self.creation]
                            + Self.universe.indices.filter { (left | right) & 1 << $0 != 0 }
                            .map { Self.universe[$0] }))
                let merged = Self.replicas[left * 2].merged(Self.replicas[right * 2 + 1])
                if merged.state.entries != entries.current || merged.shownHistory != entries.history
                {
                    Issue.record("The sets \(left) and \(right) give something else.")
                    return
                }
            }
        }
    }

    @Test func `is commutative and idempotent`() {
        for left in Self.replicas {
            #expect(left.merged(left) == left)
            for right in Self.replicas.shuffled().prefix(64) {
                let (one, other) = (left.merged(right), right.merged(left))
                if one.state != other.state || one.shownHistory != other.shownHistory {
                    Issue.record("The order makes a difference.")
                    return
                }
            }
        }
    }

    @Test func `is associative, and does not care how often a version comes`() {
        var generator = SeededGenerator()
        for _ in 0..<20_000 {
            let chosen = (0..<3).map { _ in
                Self.replicas[Int.random(in: Self.replicas.indices, using: &generator)]
            }
            let one = chosen[0].merged(chosen[1]).merged(chosen[2])
            let other = chosen[0].merged(chosen[1].merged(chosen[2]).merged(chosen[0]))
            if one.state != other.state || one.shownHistory != other.shownHistory {
                Issue.record("The brackets make a difference: \(generator)")
                return
            }
        }
    }

    @Test func `agrees with the set of all entries for random ones on any number of devices`() {
        var generator = SeededGenerator()
        for _ in 0..<3_000 {
            let elements = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
                Self.randomElement(&generator)
            }
            var devices = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                Replica(
                    [Self.creation] + elements.filter { _ in Bool.random(using: &generator) })
            }
            let all = Replica([Self.creation] + elements.shuffled(using: &generator))
            devices.append(all)
            devices.shuffle(using: &generator)
            var merged = devices.removeFirst()
            for device in devices { merged.merge(device) }
            let oracle = EntrySet(elements: Set([Self.creation] + elements))
            #expect(merged.state.entries == oracle.current, "\(generator)")
            #expect(merged.shownHistory == oracle.history, "\(generator)")
            let creations = oracle.elements.filter { $0.key == Register.type }.map(\.entry.stamp)
            #expect(merged.state.first == creations.min(), "\(generator)")
        }
    }

    private static func randomElement(_ generator: inout SeededGenerator) -> EntrySet.Element {
        let stamp = Stamp(
            moment: .random(in: 0...6, using: &generator),
            counter: .random(in: 0...1, using: &generator),
            device: ["", "a", "b"].randomElement(using: &generator) ?? "")
        let contents: [EntryContent] = [
            .value(.integer(.random(in: 0...2, using: &generator)), type: nil), .absent, .removed,
        ]
        let content = contents.randomElement(using: &generator) ?? .absent
        switch Int.random(in: 0...9, using: &generator) {
        case 0: return .init(key: Register.deletion, entry: Entry(content: .deleted, stamp: stamp))
        case 1:
            let type = EntryContent.value(
                .string(["p", "q"].randomElement(using: &generator) ?? ""), type: nil)
            return .init(key: Register.type, entry: Entry(content: type, stamp: stamp))
        default:
            let key = ["k", "l"].randomElement(using: &generator) ?? ""
            return .init(key: key, entry: Entry(content: content, stamp: stamp))
        }
    }

    @Test func `of two entries that differ exactly one precedes`() {
        var generator = SeededGenerator()
        for _ in 0..<20_000 {
            let (left, right) = (
                Self.randomElement(&generator).entry, Self.randomElement(&generator).entry
            )
            #expect(left.precedes(right) != right.precedes(left) || left == right, "\(generator)")
            #expect(!left.precedes(left))
        }
    }

    @Test func `brings a deleted entity back with a later value alone`() {
        var state = EntityState(id: "e", type: "person", stamp: Stamp(moment: 1, device: "a"))
        let value = EntryContent.value(.integer(1), type: nil)
        _ = state.take(
            Entry(content: .deleted, stamp: Stamp(moment: 5, device: "a")), for: Register.deletion)
        #expect(state.isDeleted)
        _ = state.take(Entry(content: .removed, stamp: Stamp(moment: 6, device: "b")), for: "k")
        #expect(state.isDeleted)
        _ = state.take(Entry(content: value, stamp: Stamp(moment: 4, device: "b")), for: "l")
        #expect(state.isDeleted)
        _ = state.take(Entry(content: value, stamp: Stamp(moment: 6, device: "b")), for: "m")
        #expect(!state.isDeleted)
    }
}
