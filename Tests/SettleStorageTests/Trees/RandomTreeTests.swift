import SettleDocuments
import Testing
import TestSupport

@testable import SettleStorage

@Suite(.serialized) struct `Revision trees in a store` {
    private enum Step: CaseIterable {
        case give, giveAgain, put, delete, putAfterLeaf, deleteLeaf, purge, purgeLeaves, expire
    }

    /// Documents in the model, and what is done to them.
    private struct Steps {
        var random = SeededGenerator()
        var models: [String: TreeModel] = [:]
        private var count: Int64 = 0

        private mutating func content(isDeleted: Bool) -> TreeModel.Content {
            count += 1
            return TreeModel.Content(number: count, isDeleted: isDeleted, attached: nil)
        }

        private mutating func digest() -> RevisionName.Digest {
            switch random.next() % 6 {
            case 0: .text(Array("text \(random.next() % 4)".utf8))
            case 1: .bytes(Revision.Digest(high: random.next() % 3, low: 0))
            default: .bytes(Revision.Digest(high: random.next(), low: random.next()))
            }
        }

        private mutating func attachments(
            _ content: inout TreeModel.Content, _ transaction: StoreTransaction
        ) throws -> [AttachmentRecord] {
            guard random.next() % 3 == 0 else { return [] }
            // Few, so that leaves share them.
            let bytes = [UInt8(random.next() % 4)]
            let digest = try transaction.store(content: bytes)
            content.attached = digest
            return [AttachmentRecord(name: "f", contentType: "t", digest: digest, length: 1)]
        }

        private func members(_ content: TreeModel.Content) throws -> PackedValue {
            try body(["n": .integer(content.number)])
        }

        mutating func apply(
            _ step: Step, to id: String, in transaction: StoreTransaction
        ) throws {
            var model = models[id] ?? TreeModel()
            switch step {
            case .give:
                let parent =
                    random.next() % 5 == 0
                    ? nil
                    : model.parents.keys.sorted()
                        .randomElement(using: &random)
                let before = parent.map { model.path(to: $0) } ?? []
                let name = RevisionName(
                    generation: (parent?.generation ?? 0) + 1, digest: digest())
                let length = random.next() % 3 == 0 ? Int(random.next() % 4) : before.count
                let names = [name] + before.prefix(length)
                var content = content(isDeleted: random.next() % 4 == 0)
                let attachments = try attachments(&content, transaction)
                let isNew = try transaction.put(
                    GivenRevision(
                        path: try path(names), isDeleted: content.isDeleted,
                        attachments: attachments, body: try members(content)), of: id)
                #expect(isNew == (model.parents[name] == nil), "\(random)")
                model.add(names, content)
            case .giveAgain:
                guard let name = model.parents.keys.sorted().randomElement(using: &random) else {
                    return
                }
                let isNew = try transaction.put(
                    GivenRevision(path: try path(model.path(to: name)), body: try body([:])),
                    of: id)
                #expect(!isNew, "\(random)")
            case .put, .delete:
                let isDeleted = step == .delete && model.liveCount > 0
                var content = content(isDeleted: isDeleted)
                let attachments = isDeleted ? [] : try attachments(&content, transaction)
                let record = try transaction.put(
                    id, body: try members(content), attachments: attachments,
                    isDeleted: isDeleted, precondition: .none, origin: nil)
                model.add([RevisionName(record.revision)] + model.leaves.prefix(1), content)
            case .putAfterLeaf, .deleteLeaf:
                guard let leaf = model.leaves.randomElement(using: &random) else { return }
                var content = content(isDeleted: step == .deleteLeaf)
                let attachments =
                    content.isDeleted ? [] : try attachments(&content, transaction)
                let record = try transaction.put(
                    id, after: leaf, body: try members(content), attachments: attachments,
                    isDeleted: content.isDeleted)
                model.add([RevisionName(record.revision), leaf], content)
            case .purge:
                try transaction.purge(id)
                models[id] = nil
                return
            case .purgeLeaves:
                let leaves = model.leaves
                var names = leaves.filter { _ in random.next() % 2 == 0 }
                let removed = names
                // One that is no leaf changes nothing.
                if let inner = model.parents.keys.sorted().first(where: { !leaves.contains($0) }) {
                    names.append(inner)
                }
                #expect(try transaction.purge(id, leaves: Set(names)) == removed, "\(random)")
                model.remove(removed)
                models[id] = model.parents.isEmpty ? nil : model
                return
            case .expire:
                guard model.liveCount > 0 else { return }
                try transaction.setExpiration(Timestamp(microseconds: 1 << 50), of: id)
            }
            models[id] = model
        }

        private func path(_ names: [RevisionName]) throws -> RevisionPath {
            try #require(
                RevisionPath(generation: names[0].generation, digests: names.map(\.digest)))
        }
    }

    @Test func `are what all paths say, after any edits, here or given`() async throws {
        for _ in 0..<6 {
            let scratch = try ScratchStore()
            var steps = Steps()
            try await scratch.store.write { try $0.keepTrees() }
            for round in 0..<60 {
                let before = steps
                // What a run of the closure did is thrown away when it runs again.
                steps = try await scratch.store.write { transaction in
                    var steps = before
                    for _ in 0..<3 {
                        let step = Step.allCases.randomElement(using: &steps.random) ?? .give
                        if step == .purge, steps.random.next() % 4 > 0 { continue }
                        let id = ["a", "b", "a\u{1}", "ab"].randomElement(using: &steps.random)
                        try steps.apply(step, to: id ?? "a", in: transaction)
                    }
                    return steps
                }
                let note = "round \(round), \(steps.random)"
                let models = steps.models
                try scratch.store.read("test") { snapshot in
                    for id in ["a", "b", "a\u{1}", "ab"] {
                        try expectEqual(snapshot, id, models[id], note)
                    }
                    var conflicts: [String: Int] = [:]
                    try snapshot.forEachConflict {
                        conflicts[$0] = $1
                        return true
                    }
                    let expected = models.mapValues { $0.liveCount - 1 }.filter { $0.value > 0 }
                    #expect(conflicts == expected, "\(note)")
                    #expect(try snapshot.conflictedCount == expected.count, "\(note)")
                    #expect(
                        try snapshot.lostLeafCount
                            == models.values.map { $0.leaves.count - 1 }.reduce(0, +), "\(note)")
                    #expect(snapshot.liveCount == models.values.count { $0.liveCount > 0 })
                }
                #expect(try scratch.findings() == [], "\(note)")
            }
        }
    }
}
