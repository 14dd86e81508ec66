import SettleIndexing

/// The part of an ordered answer that somebody looks at, kept up to date from single changes.
///
/// Pure. It holds the items from the first one wanted, and some behind the last, so that most
/// removals need no reading.
struct ListWindow<Value: Sendable & Equatable>: Sendable {
    /// What is known of the answer beside the one that was delivered last.
    enum Difference: Sendable, Equatable {
        /// They are equal.
        case none
        /// They are not.
        case some
        /// The items were read anew: only comparing can tell.
        case unknown
    }

    /// What a change asks of the shell.
    enum Need: Sendable, Equatable {
        /// Nothing: the window is up to date.
        case nothing
        /// Items behind the last one held, or from the beginning when none is held; give them to
        /// ``extend(with:isComplete:)``.
        case items(after: RowPosition?, count: Int)
        /// All of it again, because what is passed over has changed.
        case all
    }

    /// The items held; the first ``limit`` are the answer.
    private(set) var items: OrderedList<Value>
    /// True when no item is behind those held.
    private(set) var isComplete = false
    /// How the answer differs from what it was at the last ``commit()``.
    private(set) var difference = Difference.unknown

    /// How many items of the answer are passed over.
    let skip: Int
    /// The most items of the answer; nil for all.
    let limit: Int?

    /// How many items are held behind the last of the answer.
    private let spareCount: Int

    /// How many items are held behind the last of the answer if nothing else is said.
    static var usualSpareCount: Int { 32 }

    /// A window that holds nothing yet.
    ///
    /// - Parameters:
    ///   - skip: How many items of the answer are passed over.
    ///   - limit: The most items of the answer; nil for all.
    ///   - isDescending: As for an ``OrderedList``.
    ///   - spareCount: How many items are held behind the last of the answer; 0 where one that is not
    ///     asked for might not be had at all.
    init(skip: Int, limit: Int?, isDescending: Bool, spareCount: Int = usualSpareCount) {
        self.skip = skip
        self.limit = limit
        self.spareCount = spareCount
        items = OrderedList(isDescending: isDescending)
    }

    /// How many items to read for a whole window; nil for all there are.
    var wantedCount: Int? {
        limit.map { $0 > Int.max - spareCount ? .max : $0 + spareCount }
    }

    /// Puts items read at one moment in the place of those held.
    mutating func load(_ read: [OrderedList<Value>.Item], isComplete: Bool) {
        items = OrderedList(isDescending: items.isDescending)
        items.append(read)
        self.isComplete = isComplete
        difference = .unknown
    }

    /// Takes the answer as it is now for the one that ``difference`` is about.
    mutating func commit() {
        difference = .none
    }

    /// Whether a change of an item can show.
    func concerns(_ key: RowPosition) -> Bool {
        if isComplete { return true }
        guard let last = items.last else { return limit != 0 }
        return !items.precedes(last.key, key)
    }

    /// Takes in items as they are now.
    ///
    /// - Parameter changes: The items that may have changed, in any order, each once; nil for one
    ///   that is gone.
    /// - Returns: What is still missing.
    mutating func apply(_ changes: [(key: RowPosition, value: Value?)]) -> Need {
        let old = items
        var first: RowPosition?
        for (key, value) in changes where concerns(key) {
            if skip > 0 {
                // It may move the beginning of the window.
                guard let first = items.first, items.precedes(first.key, key) else {
                    return .all
                }
            }
            let isSame = items.value(for: key) == value
            // Also an equal one: a document may have another revision with the same members.
            items.set(value, for: key)
            if isSame { continue }
            if let other = first, items.precedes(other, key) { continue }
            first = key
        }
        if difference == .none, let first, isShown(first, among: old) { difference = .some }
        return need
    }

    /// Whether the place of a key among items is one of the answer.
    ///
    /// Before the first key that has changed nothing has: its place is the same before and after.
    private func isShown(_ key: RowPosition, among items: OrderedList<Value>) -> Bool {
        guard let limit else { return true }
        guard limit > 0 else { return false }
        return items.key(at: limit - 1).map { !items.precedes($0, key) } ?? true
    }

    /// Adds items that were read behind the last one.
    mutating func extend(with read: [OrderedList<Value>.Item], isComplete: Bool) {
        items.append(read)
        self.isComplete = isComplete
        // It became too short because something that was shown is gone.
        if difference == .none, !read.isEmpty { difference = .unknown }
    }

    /// What is missing for a full answer; gives up what it holds too much.
    private var need: Need {
        mutating get {
            guard let limit else { return .nothing }
            if items.count < limit, !isComplete {
                if skip > 0, items.count == 0 { return .all }
                return .items(
                    after: items.last?.key, count: limit - items.count + spareCount)
            }
            if items.count > limit, items.count - limit > 2 * spareCount {
                items.truncate(to: limit + spareCount)
                isComplete = false
            }
            return .nothing
        }
    }
}
