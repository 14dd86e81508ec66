import SettleDocuments
import SettleLMDB
import Testing
import TestSupport

@testable import SettleStorage

/// The naive form of a document with a revision tree: every path that was ever added, and every body.
struct TreeModel {
    struct Content: Equatable {
        var number: Int64
        var isDeleted: Bool
        var attached: ContentDigest?
    }

    /// Each revision with those that a path has right before it.
    private(set) var parents: [RevisionName: Set<RevisionName>] = [:]
    private(set) var contents: [RevisionName: Content] = [:]
    /// Revisions that were the end of a path.
    private var ends: Set<RevisionName> = []

    var leaves: [RevisionName] {
        let inner = Set(parents.values.joined())
        return ends.filter { !inner.contains($0) }
            .sorted { isLess($1, $0) }
    }

    private func isLess(_ left: RevisionName, _ right: RevisionName) -> Bool {
        let (first, second) = (contents[left]?.isDeleted, contents[right]?.isDeleted)
        return first == second ? left < right : first == true
    }

    var liveCount: Int { leaves.count { contents[$0]?.isDeleted == false } }

    /// Any path to a revision, as long as it can be.
    func path(to name: RevisionName) -> [RevisionName] {
        [name] + (parents[name]?.max().map { path(to: $0) } ?? [])
    }

    /// Takes leaves away, with what nothing else came from.
    mutating func remove(_ names: [RevisionName]) {
        var kept: Set<RevisionName> = []
        var open = leaves.filter { !names.contains($0) }
        while let name = open.popLast() {
            if kept.insert(name).inserted { open += parents[name] ?? [] }
        }
        parents = parents.filter { kept.contains($0.key) }
        contents = contents.filter { kept.contains($0.key) }
        ends.formIntersection(kept)
    }

    mutating func add(_ names: [RevisionName], _ content: Content) {
        let isNew = parents[names[0]] == nil
        for (place, name) in names.enumerated() {
            parents[name, default: []].formUnion(names[(place + 1)...].prefix(1))
        }
        if isNew {
            ends.insert(names[0])
            contents[names[0]] = content
        }
    }
}

extension ScratchStore {
    /// What a check of the store finds.
    func findings() throws -> [StoreFinding] {
        let log = CheckLog()
        try store.check(threadCount: 1) { try StoreCheck(log).pieces(of: $0) }
        return log.findings
    }
}

/// Compares a document with the model, with all of its leaves.
func expectEqual(
    _ snapshot: StoreSnapshot, _ id: String, _ model: TreeModel?, _ note: String
) throws {
    guard let model else {
        #expect(try snapshot.record(id) == nil, "\(note)")
        #expect(try snapshot.tree(of: id) == nil, "\(note)")
        return
    }
    let record = try #require(try snapshot.record(id), "\(note)")
    let tree = try snapshot.tree(of: id, record)
    #expect(tree.parents.mapValues(Set.init) == model.parents, "\(note)")
    #expect(tree.sortedLeaves.map(\.name) == model.leaves, "\(note)")
    #expect(record.revision == model.leaves[0].standIn, "\(note)")
    for name in model.leaves {
        let leaf = try #require(try snapshot.leaf(name, of: id, record), "\(note)")
        let content = try #require(model.contents[name])
        #expect(leaf.revision == name.standIn && leaf.isDeleted == content.isDeleted, "\(note)")
        #expect(try leaf.body.member("n") == .integer(content.number), "\(note)")
        #expect(leaf.attachments.first?.digest == content.attached, "\(note)")
        if let digest = content.attached {
            #expect(try snapshot.hasContent(digest), "\(note)")
        }
    }
    let inner = model.parents.keys.first { !model.leaves.contains($0) }
    if let inner { #expect(try snapshot.leaf(inner, of: id, record) == nil, "\(note)") }
}
