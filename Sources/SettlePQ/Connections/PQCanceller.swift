internal import CPQ

/// Asks the server, from any thread, to end the statement that a connection is running.
///
/// libpq made it so that it may be used from other threads than the connection's, which is why
/// the class may call itself Sendable; it is freed with the last reference.
final class PQCanceller: @unchecked Sendable {
    private let request: OpaquePointer?

    init(_ connection: PQConnection) {
        request = PQgetCancel(connection.handle)
    }

    deinit {
        if let request { PQfreeCancel(request) }
    }

    /// Asks, blocking the thread until the server has passed it on.
    ///
    /// That it failed need not be known: the statement then runs to its end or its timeout.
    func cancel() {
        guard let request else { return }
        var reason = [CChar](repeating: 0, count: 256)
        _ = PQcancel(request, &reason, Int32(reason.count))
    }
}
