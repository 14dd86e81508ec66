import Dispatch

/// Holds one call of a map closure up while a test looks.
final class MapGate: Sendable {
    private let number: Int
    private let hasCome = Inbox<Void>()
    private let mayGoOn = DispatchSemaphore(value: 0)

    /// A gate for the call of this number.
    init(atCall number: Int = 1) {
        self.number = number
    }

    /// What the map closure does with the number of each call.
    func pass(_ call: Int) {
        guard call == number else { return }
        hasCome.put(())
        mayGoOn.wait()
    }

    /// Runs a body while the call is held up, and then lets it go on.
    func whileHeld<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        _ = await hasCome.first()
        defer { mayGoOn.signal() }
        return try await body()
    }
}
