import Synchronization

/// The observed queries of a database.
final class ObserverRegistry: Sendable {
    private let observations = Mutex<[ObjectIdentifier: Observation]>([:])

    func add(_ observation: Observation) {
        observations.withLock { $0[ObjectIdentifier(observation)] = observation }
    }

    func remove(_ observation: Observation) {
        observation.end()
        _ = observations.withLock { $0.removeValue(forKey: ObjectIdentifier(observation)) }
    }

    func removeAll() {
        let all = observations.withLock { observations in
            defer { observations = [:] }
            return Array(observations.values)
        }
        for observation in all { observation.end() }
    }

    /// Called on the writer's thread after each commit.
    func databaseChanged() {
        for observation in observations.withLock({ Array($0.values) }) { observation.changed() }
    }
}
