import SettleSync

/// Takes the options of a back-end out of a configuration.
struct OptionReader {
    private var options: [String: any Sendable]
    private let names: [String]

    /// - Parameters:
    ///   - options: What is given.
    ///   - names: All names that there are.
    init(_ options: [String: any Sendable], names: [String]) {
        self.options = options
        self.names = names
    }

    /// An option; nil when it is not given.
    ///
    /// - Throws: ``ReplicationError`` with `misconfigured` when it is of another type.
    mutating func take<Value>(
        _ name: String, as type: Value.Type
    ) throws(ReplicationError) -> Value? {
        guard let value = options.removeValue(forKey: name) else { return nil }
        guard let value = value as? Value else {
            throw ReplicationError(
                .misconfigured,
                "The replication option '\(name)' has to be a \(type), which it is not.")
        }
        return value
    }

    /// A number of seconds, which may be whole.
    mutating func takeNumber(_ name: String) throws(ReplicationError) -> Double? {
        if let seconds = options[name] as? Int {
            options[name] = nil
            return Double(seconds)
        }
        return try take(name, as: Double.self)
    }

    /// A number of seconds above 0.
    mutating func takeSeconds(_ name: String) throws(ReplicationError) -> Double? {
        let seconds = try takeNumber(name)
        if let seconds, !(seconds > 0 && seconds.isFinite) {
            throw ReplicationError(
                .misconfigured, "The replication option '\(name)' has to be above 0.")
        }
        return seconds
    }

    /// Refuses what was not taken.
    func finish() throws(ReplicationError) {
        guard let unknown = options.keys.min() else { return }
        let quoted = names.map { "'\($0)'" }
        throw ReplicationError(
            .misconfigured,
            "The replication option '\(unknown)' is not known. There are "
                + quoted.dropLast().joined(separator: ", ") + " and \(quoted[quoted.count - 1]).")
    }
}
