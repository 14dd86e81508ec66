public import AsyncHTTPClient
public import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Settle
public import SettleREST
public import SettleSync

/// HTTP by AsyncHTTPClient, for servers and tools.
///
/// Connections are kept open between requests, and answers may come compressed. Servers whose keys
/// are pinned are talked to only when they have one of them, on every platform. Redirections are
/// followed by reads alone and within the same origin.
///
/// It has connections of its own and cannot take an existing `HTTPClient`, since nobody can see from
/// outside whether such a client would carry a token along to where a redirection leads. To share
/// connections, share the transport.
///
/// End it with ``shutdown()`` when nothing is sent any more, or let a `ServiceGroup` do it: the
/// transport is a `Service`.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let clients: PinnedClients

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: How long nothing may come, or nothing be taken, before a request counts
    ///     as unanswered; this is how a connection is noticed that only looks open. A response that
    ///     keeps coming may take as long as it likes.
    ///   - connectionCountMax: The most connections to one host, where the server speaks HTTP/1.1.
    ///   - pins: The keys that servers must have.
    public convenience init(
        timeoutSeconds: Double = 60, connectionCountMax: Int = 8, pins: PublicKeyPins? = nil
    ) {
        var configuration = HTTPClient.Configuration()
        let timeout = TimeAmount.milliseconds(
            Int64((timeoutSeconds * 1_000).rounded().clamped(to: 1...HostingTuning.timeoutMax)))
        configuration.timeout = .init(connect: timeout, read: timeout, write: timeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            max(1, connectionCountMax)
        self.init(configuration: configuration, pins: pins)
    }

    /// A transport with connections as they are described: proxies, trusted certificates, times.
    ///
    /// - Parameters:
    ///   - configuration: What AsyncHTTPClient is to do. Redirections, the decompression of answers,
    ///     repeated attempts to connect and spans (there are none, since addresses name documents) are
    ///     set by the transport, whatever stands there; with pins, so are the initializers for debugging.
    ///   - pins: The keys that servers must have, beside a certificate that the configuration
    ///     trusts.
    public init(configuration: HTTPClient.Configuration, pins: PublicKeyPins? = nil) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .enabled(limit: .size(HostingTuning.decompressedSizeMax))
        // Its spans would hold whole addresses, in which documents are named.
        configuration.tracing.tracer = nil
        // Who sent a request decides when to try again, and wants to know at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        clients = PinnedClients(configuration: configuration, pins: pins)
    }

    deinit {
        clients.shutdownInBackground()
    }

    /// Ends the connections; requests that are under way fail, and so do all after them.
    ///
    /// Called once more it does nothing.
    public func shutdown() async {
        await clients.shutdown()
    }

    /// Bodies are sent as they are made.
    public var streamsBodies: Bool { true }

    /// Sends a request and waits for the whole response; see ``/SettleREST/HTTPTransport``.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try await send(
            request, bodySizeMax: bodySizeMax,
            body.map { bytes in { .bytes(ByteBuffer(bytes: bytes)) } })
    }

    /// Sends a request whose body is made meanwhile; see ``/SettleREST/HTTPTransport``.
    public func send(
        _ request: HTTPRequest, streaming body: HTTPBody, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        try await send(request, bodySizeMax: bodySizeMax) {
            .stream(
                body.chunks.map { ByteBuffer(bytes: $0) }, length: .known(Int64(body.length)))
        }
    }

    private func send(
        _ request: HTTPRequest, bodySizeMax: Int, _ body: (() -> HTTPClientRequest.Body)?
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var request = request
        for _ in 0..<HostingTuning.redirectionCountMax {
            let response = try await exchange(
                request, body: body?(), bodySizeMax: bodySizeMax)
            guard let next = HTTPOrigin.redirection(of: request, by: response.head) else {
                return response
            }
            request = next
        }
        throw ReplicationError(
            .protocolViolation,
            "The server '\(Self.host(of: request))' redirects from one place to the next without "
                + "an end.")
    }

    private func exchange(
        _ request: HTTPRequest, body: HTTPClientRequest.Body?, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        guard let scheme = request.scheme, let authority = request.authority else {
            throw ReplicationError(
                .misconfigured, "The address of a request cannot be written as a URL.")
        }
        if Task.isCancelled { throw .cancelledRequest }
        let host = Self.host(of: request)
        try clients.pins?.requireEncryption(scheme: scheme, host: host)
        var sent = HTTPClientRequest(url: "\(scheme)://\(authority)\(request.path ?? "/")")
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields {
            sent.headers.add(name: field.name.rawName, value: field.value)
        }
        if request.headerFields[.acceptEncoding] == nil {
            sent.headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        }
        sent.body = body
        do {
            let response = try await clients.client(for: host).execute(
                sent, deadline: .distantFuture)
            let bytes = try await Self.bytes(of: response, sizeMax: bodySizeMax)
            if Task.isCancelled { throw ReplicationError.cancelledRequest }
            return FullHTTPResponse(head: Self.head(of: response), body: bytes)
        } catch {
            if Task.isCancelled { throw .cancelledRequest }
            // The body could not be made.
            if error is DatabaseError { throw ReplicationError(unexpected: error) }
            throw ReplicationError(answering: error, host: host, bodySizeMax: bodySizeMax)
        }
    }

    /// The body, as long as it is not too large; otherwise the rest is not read.
    private static func bytes(
        of response: HTTPClientResponse, sizeMax: Int
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in response.body {
            guard buffer.readableBytes <= sizeMax - bytes.count else {
                throw ReplicationError.tooLarge(sizeMax)
            }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    private static func head(of response: HTTPClientResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return HTTPResponse(
            status: .init(
                code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase),
            headerFields: fields)
    }

    /// The host of a request, without its port.
    private static func host(of request: HTTPRequest) -> String {
        let authority = request.authority ?? ""
        // The colons of an address of version 6 stand in brackets.
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return authority
        }
        return String(authority[..<colon])
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
