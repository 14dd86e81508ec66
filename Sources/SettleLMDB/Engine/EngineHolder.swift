/// Holds the engine that an environment runs on.
///
/// The engine is exchanged only by a thread that holds the writer's place while no read of this
/// process is active (`Environment.withoutReaders`); everybody else has passed the monitor since
/// then. That makes reading without a lock safe.
final class EngineHolder: @unchecked Sendable {
    private var held: EngineEnvironment?
    private var lock: FileLock?

    init(_ engine: EngineEnvironment, _ lock: FileLock?) {
        held = engine
        self.lock = lock
    }

    /// The engine that is open; there is none after the environment was closed.
    var engine: EngineEnvironment {
        guard let held else { preconditionFailure("An engine was used after its close.") }
        return held
    }

    /// Whether there is an engine.
    var isOpen: Bool { held != nil }

    /// The lock that tells other processes that the file is open here.
    var fileLock: FileLock? { lock }

    /// Closes the engine and keeps the lock on the file.
    func closeEngine() {
        held?.close()
        held = nil
    }

    func install(_ engine: EngineEnvironment) {
        precondition(held == nil, "An engine was installed beside another one.")
        held = engine
    }

    /// Takes the lock on another file in place of the one held.
    func exchange(_ lock: FileLock) {
        self.lock?.release()
        self.lock = lock
    }

    /// Closes the engine and gives up the lock; may be called again.
    func close() {
        closeEngine()
        lock?.release()
        lock = nil
    }
}
