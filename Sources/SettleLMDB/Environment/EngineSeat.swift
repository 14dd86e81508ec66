/// Where an environment keeps the engine it runs on.
///
/// The engine is exchanged only by a thread that holds the writer's place while no read of this
/// process is active (`Environment.withoutReaders`); everybody else has passed the monitor since
/// then. That makes reading without a lock safe.
final class EngineSeat: @unchecked Sendable {
    private var seated: EngineEnvironment?
    private var lock: FileLock?

    init(_ engine: EngineEnvironment, _ lock: FileLock?) {
        seated = engine
        self.lock = lock
    }

    /// The engine that is open; there is none after the environment was closed.
    var engine: EngineEnvironment {
        guard let seated else { preconditionFailure("An engine was used after its close.") }
        return seated
    }

    /// The lock that tells other processes that the file is open here.
    var fileLock: FileLock? { lock }

    /// Closes the engine and keeps the lock on the file.
    func vacate() {
        seated?.close()
        seated = nil
    }

    func seat(_ engine: EngineEnvironment) {
        precondition(seated == nil, "An engine was seated beside another one.")
        seated = engine
    }

    /// Takes the lock on another file in place of the one held.
    func exchange(_ lock: FileLock) {
        self.lock?.release()
        self.lock = lock
    }

    /// Closes the engine and gives up the lock; may be called again.
    func close() {
        vacate()
        lock?.release()
        lock = nil
    }
}
