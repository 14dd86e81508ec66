import Foundation
import Logging
import SettleServer

/// The demo's table server, which runs in this process.
struct DemoServer {
    /// The table that the clients replicate with.
    let table: URL
    /// The port it listens on.
    let port: Int
    private let secret: String
    private let running: RunningServer

    /// Starts a server on a free port of this machine, with a secret nobody knows.
    ///
    /// - Parameter folder: Where it keeps its tables.
    /// - Returns: The server, which listens.
    /// - Throws: What the server throws when it cannot start.
    static func start(in folder: DemoFolder) async throws -> DemoServer {
        // A UUID has 122 random bits; two make more than the 32 bytes that the server asks for.
        let secret = UUID().uuidString + UUID().uuidString
        var logger = Logger(label: "settle.server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let server = try TableServer(
            configuration: ServerConfiguration(
                directory: folder.url.appendingPathComponent("server", isDirectory: true),
                authentication: .jwt(secret: secret)),
            logger: logger)
        let running = RunningServer(server, logger: logger)
        do {
            let port = try await server.boundPort()
            guard let table = URL(string: "http://127.0.0.1:\(port)/tables/cities") else {
                preconditionFailure("An address made of digits is a URL.")
            }
            return DemoServer(table: table, port: port, secret: secret, running: running)
        } catch {
            running.stop()
            try? await running.finish()
            throw error
        }
    }

    /// A token that the server accepts.
    ///
    /// - Parameters:
    ///   - subject: Whom it is for.
    ///   - channels: What it is limited to; nil for no limit.
    /// - Returns: The token, good for an hour.
    /// - Throws: What signing throws.
    func token(for subject: String, channels: [String]? = nil) async throws -> String {
        try await TableServer.token(secret: secret, subject: subject, channels: channels)
    }

    /// Ends the server and waits until its databases are closed.
    ///
    /// - Throws: What broke it, if something did.
    func end() async throws {
        running.stop()
        try await running.finish()
    }
}
