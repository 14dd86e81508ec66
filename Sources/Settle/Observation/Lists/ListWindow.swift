import SettleIndexing

/// The part of an ordered answer that somebody looks at, kept up to date from single changes.
///
/// Pure. It holds the items from the first one wanted, and some behind the last, so that most
/// removals need no reading.
struct ListWindow<Value: Sendable>: Sendable {
    /// What a change asks of the shell.
    enum Need: Sendable, Equatable {
        /// Nothing: the window is up to date.
        case nothing
        /// Items behind the last one held, or from the beginning when none is held; give them to
        /// ``extend(with:isComplete:)``.
        case items(after: ItemKey?, count: Int)
        /// All of it again, because what is passed over has changed.
        case all
    }

    /// The items held; the first ``limit`` are the answer.
    private(set) var items: OrderedList<Value>
    /// True when no item is behind those held.
    private(set) var isComplete = false

    /// How many items of the answer are passed over.
    let skip: Int
    /// The most items of the answer; nil for all.
    let limit: Int?

    private static var spareCount: Int { 32 }

    /// A window that holds nothing yet.
    init(skip: Int, limit: Int?, isDescending: Bool) {
        self.skip = skip
        self.limit = limit
        items = OrderedList(isDescending: isDescending)
    }

    /// How many items to read for a whole window; nil for all there are.
    var wantedCount: Int? {
        limit.map { $0 > Int.max - Self.spareCount ? .max : $0 + Self.spareCount }
    }

    /// Puts items read at one moment in the place of those held.
    mutating func load(_ read: [OrderedList<Value>.Item], isComplete: Bool) {
        items = OrderedList(isDescending: items.isDescending)
        items.append(read)
        self.isComplete = isComplete
    }

    /// Whether a change of an item can show.
    func concerns(_ key: ItemKey) -> Bool {
        if isComplete { return true }
        guard let last = items.last else { return limit != 0 }
        return !items.precedes(last.key, key)
    }

    /// Takes in items as they are now.
    ///
    /// - Parameter changes: The items that may have changed, in any order; nil for one that is gone.
    /// - Returns: What is still missing.
    mutating func apply(_ changes: [(key: ItemKey, value: Value?)]) -> Need {
        for (key, value) in changes where concerns(key) {
            if skip > 0 {
                // It may move the beginning of the window.
                guard let first = items.first, items.precedes(first.key, key) else {
                    return .all
                }
            }
            items.set(value, for: key)
        }
        return need
    }

    /// Adds items that were read behind the last one.
    mutating func extend(with read: [OrderedList<Value>.Item], isComplete: Bool) {
        items.append(read)
        self.isComplete = isComplete
    }

    /// What is missing for a full answer; gives up what it holds too much.
    private var need: Need {
        mutating get {
            guard let limit else { return .nothing }
            if items.count < limit, !isComplete {
                if skip > 0, items.count == 0 { return .all }
                return .items(
                    after: items.last?.key, count: limit - items.count + Self.spareCount)
            }
            if items.count > limit, items.count - limit > 2 * Self.spareCount {
                items.truncate(to: limit + Self.spareCount)
                isComplete = false
            }
            return .nothing
        }
    }
}
