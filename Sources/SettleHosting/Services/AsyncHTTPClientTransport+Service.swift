public import ServiceLifecycle

extension AsyncHTTPClientTransport: Service {
    /// Waits until the group is shut down, then ends the connections.
    ///
    /// A group shuts its services down from the last to the first: name the transport before those
    /// that use it.
    public func run() async throws {
        try? await gracefulShutdown()
        await shutdown()
    }
}
