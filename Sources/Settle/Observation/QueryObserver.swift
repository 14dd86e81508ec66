/// Stands for an observed query; give it to ``Database/removeObserver(_:)`` to end it.
public final class QueryObserver: Sendable {
    let observation: Observation

    init(_ observation: Observation) {
        self.observation = observation
    }
}
