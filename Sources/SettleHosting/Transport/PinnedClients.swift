import AsyncHTTPClient
import NIOCore
import NIOSSL
import SettleREST
import Synchronization

/// The HTTP clients of a transport: one for each host whose keys are pinned, and one for all others.
///
/// A connection does not know which host it was made for; so each pinned host has its own. The key
/// is looked at when the handshake has ended, which proved that the server has it, and before the
/// connection is used for anything.
final class PinnedClients: Sendable {
    let pins: PublicKeyPins?
    private let others: HTTPClient
    private let pinned: [String: HTTPClient]
    private let isShutDown = Atomic(false)

    init(configuration: HTTPClient.Configuration, pins: PublicKeyPins?) {
        self.pins = pins
        others = HTTPClient(configuration: configuration)
        guard let pins else {
            pinned = [:]
            return
        }
        pinned = Dictionary(
            uniqueKeysWithValues: pins.hosts.map { host in
                var configuration = configuration
                let check = Self.check(host, pins)
                configuration.http1_1ConnectionDebugInitializer = check
                configuration.http2ConnectionDebugInitializer = check
                return (host, HTTPClient(configuration: configuration))
            })
    }

    /// The client that requests to a host go through.
    func client(for host: String) -> HTTPClient {
        pinned[PublicKeyPins.canonical(host)] ?? others
    }

    /// Ends all clients and waits until they have ended.
    func shutdown() async {
        guard isFirstShutdown() else { return }
        for client in [others] + pinned.values {
            // It throws only when it has been shut down before, which happens here alone.
            try? await client.shutdown()
        }
    }

    /// Ends all clients without waiting.
    func shutdownInBackground() {
        guard isFirstShutdown() else { return }
        for client in [others] + pinned.values {
            client.shutdown { _ in }
        }
    }

    private func isFirstShutdown() -> Bool {
        isShutDown.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }

    private static func check(
        _ host: String, _ pins: PublicKeyPins
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in
            channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
                guard let key = try certificate?.extractPublicKey().toSPKIBytes(),
                    pins.allow(host: host, key: key)
                else { throw UnpinnedKeyError() }
            }.flatMapErrorThrowing { error in
                // What is not handed out is closed by nobody else. The pool has to hear of the
                // failure first: a connection that it waits for must not end by itself.
                channel.eventLoop.execute { channel.close(promise: nil) }
                throw error
            }
        }
    }
}

/// A server whose key is not among the pinned ones.
struct UnpinnedKeyError: Error {}
