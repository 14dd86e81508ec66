/// How an inspector listens, and what it lets a browser do.
public struct InspectorConfiguration: Sendable {
    /// The port of 127.0.0.1 to listen on; 0, the default, takes a free one.
    public var port: Int
    /// Whether pages may change the database.
    ///
    /// False by default; a database that was opened for reading only is never changed.
    public var allowsWriting: Bool
    /// What the server of the tables has counted, in the text format of Prometheus; nil where there is none.
    public var metricsReport: (@Sendable () -> String?)?
    /// Whether the file of the database is still where it was opened; asked before each page, and before and after each change.
    package var isThere: @Sendable () -> Bool = { true }

    /// A configuration.
    ///
    /// - Parameters:
    ///   - port: The port of 127.0.0.1 to listen on; 0 takes a free one.
    ///   - allowsWriting: Whether pages may change the database.
    ///   - metricsReport: What the server of the tables has counted, in the text format of Prometheus; nil where there is
    ///     none.
    public init(
        port: Int = 0, allowsWriting: Bool = false,
        metricsReport: (@Sendable () -> String?)? = nil
    ) {
        self.port = port
        self.allowsWriting = allowsWriting
        self.metricsReport = metricsReport
    }
}
