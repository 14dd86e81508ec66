import SettleDocuments

/// Reduces rows as they come, in runs, and then the results of the runs.
///
/// Memory stays bounded by the length of a run, and every answer over more than one run is given
/// by a real rereduce, so that a reduce function that forgets it shows itself at once.
struct Reduction {
    /// The most rows, or partial results, that one call of the reduce function is given.
    static let runCountMax = 100

    private var keys: [JSONValue] = []
    private var values: [JSONValue?] = []
    /// Partial results by how many rereduces they went through.
    private var levels: [[JSONValue]] = []

    /// Takes in a row.
    mutating func add(key: JSONValue, value: JSONValue?, _ reducer: Reducer) throws {
        keys.append(key)
        values.append(value)
        if keys.count == Self.runCountMax { try closeRun(reducer) }
    }

    /// The value for everything taken in.
    ///
    /// There must have been a row.
    func result(_ reducer: Reducer) throws -> JSONValue {
        var copy = self
        if !copy.keys.isEmpty { try copy.closeRun(reducer) }
        var carried: [JSONValue] = []
        for level in copy.levels {
            // Later partials stand in lower levels, so the order of the rows is kept.
            let partials = level + carried
            carried = partials.count > 1 ? [try reducer.rereduce(partials)] : partials
        }
        guard let value = carried.first else {
            preconditionFailure("A reduction without a row has no value.")
        }
        return value
    }

    private mutating func closeRun(_ reducer: Reducer) throws {
        var partial = try reducer.reduce(keys: keys, values: values)
        keys.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        var level = 0
        while true {
            if level == levels.count { levels.append([]) }
            levels[level].append(partial)
            guard levels[level].count == Self.runCountMax else { return }
            partial = try reducer.rereduce(levels[level])
            levels[level].removeAll(keepingCapacity: true)
            level += 1
        }
    }
}
