/// The clock of an account: the system's, or one that only a test moves.
package struct ModelClock: Sendable {
    private var offset: Double
    private let isManual: Bool

    /// The system's clock, which may be moved on.
    package static var system: ModelClock { ModelClock(offset: 0, isManual: false) }

    /// A clock that shows a moment until it is moved on.
    package static func manual(at time: ModelTime) -> ModelClock {
        ModelClock(offset: time.seconds, isManual: true)
    }

    /// What it shows.
    package var now: ModelTime {
        ModelTime(seconds: offset + (isManual ? 0 : ModelTime.system.seconds))
    }

    /// Moves it on.
    package mutating func advance(bySeconds seconds: Double) { offset += seconds }
}
