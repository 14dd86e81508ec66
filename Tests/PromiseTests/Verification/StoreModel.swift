import StoreChild

/// What the database must hold after a number of batches of each lane, worked out by itself.
struct StoreModel {
    /// A document that was written at least once.
    struct Row {
        /// What stands in it; nil for a tombstone.
        var entry: Entry?
        /// How often it was written or deleted.
        var generation: Int
    }

    let seed: UInt64
    let profile: BatchPlan.Profile
    /// The last batch of each lane.
    private(set) var numbers: [Int]
    /// Every document that was ever written, by identifier.
    private(set) var rows: [String: Row] = [:]
    /// How many changes there were: the last sequence.
    private(set) var changeCount = 0

    /// An empty database.
    init(seed: UInt64, profile: BatchPlan.Profile, lanes: Int) {
        self.seed = seed
        self.profile = profile
        numbers = Array(repeating: 0, count: lanes)
    }

    /// Applies the batches of a lane up to a number.
    mutating func advance(lane: Int, to number: Int) {
        while numbers[lane] < number {
            numbers[lane] += 1
            apply(BatchPlan(seed: seed, lane: lane, number: numbers[lane], profile: profile))
        }
    }

    private mutating func apply(_ plan: BatchPlan) {
        for step in plan.steps {
            let isLive = rows[step.entry.id]?.entry != nil
            change(step.entry.id, to: isLive && step.mayDelete ? nil : step.entry)
        }
        change(plan.head.id, to: plan.head)
    }

    private mutating func change(_ id: String, to entry: Entry?) {
        rows[id] = Row(entry: entry, generation: (rows[id]?.generation ?? 0) + 1)
        changeCount += 1
    }

    /// The documents that are not deleted.
    var entries: [Entry] { rows.values.compactMap(\.entry) }

    /// The rows of the index over the entries: group, value, identifier, in order.
    var indexRows: [IndexRow] {
        entries.compactMap { entry in
            guard let group = entry.group, let value = entry.value else { return nil }
            return IndexRow(group: group, value: value, id: entry.id)
        }.sorted { ($0.group, $0.value, $0.id) < ($1.group, $1.value, $1.id) }
    }
}

/// A row of the index over the entries.
struct IndexRow: Equatable {
    let group: String
    let value: Int
    let id: String
}
