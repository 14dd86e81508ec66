import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Gets a key set from an address.
struct KeySetDownload: Sendable {
    /// The longest answer, in bytes.
    static let bytesMax = 256 << 10

    let url: URL
    private let timeMax: TimeAmount

    /// Checks an address.
    ///
    /// Whoever can change what comes from it can sign tokens, so it is `https`, or a program on this
    /// machine.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - timeMax: How long an answer may take.
    /// - Throws: ``ServerError`` with `invalidConfiguration` for another address.
    init(_ url: URL, timeMax: Duration) throws(ServerError) {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        let isHere = host == "localhost" || host == "::1" || Self.isLoopback(host)
        guard !host.isEmpty, url.scheme == "https" || (url.scheme == "http" && isHere) else {
            throw ServerError(
                .invalidConfiguration,
                "The address of the key set must begin with https://, or be one of this machine "
                    + "(http://127.0.0.1).")
        }
        self.url = url
        self.timeMax = .seconds(timeMax.components.seconds)
    }

    /// The body of the answer.
    ///
    /// - Throws: ``ServerError`` with `keysUnavailable` when there is no answer in time, or
    ///   one that is not 200 or too long.
    func bytes() async throws -> [UInt8] {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // A span would hold the whole address, and headers of a trace would go to somebody else's server.
        configuration.tracing.tracer = nil
        configuration.timeout = .init(
            connect: timeMax, read: timeMax)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<[UInt8], any Error>
        do {
            result = .success(try await download(with: client))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        do {
            return try result.get()
        } catch let error as ServerError {
            throw error
        } catch {
            throw ServerError(
                .keysUnavailable,
                "The keys for tokens could not be fetched: \(error). See that the address of the key "
                    + "set can be reached from here.", cause: error)
        }
    }

    private func download(with client: HTTPClient) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.headers.add(name: "Accept", value: "application/json")
        let answer = try await client.execute(request, timeout: timeMax)
        guard answer.status == .ok else {
            throw ServerError(
                .keysUnavailable,
                "The keys for tokens could not be fetched: the address answered "
                    + "\(answer.status.code).")
        }
        do {
            return Array(try await answer.body.collect(upTo: Self.bytesMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw ServerError(
                .keysUnavailable,
                "The keys for tokens could not be fetched: the answer has more than "
                    + "\(Self.bytesMax) bytes.")
        }
    }

    /// An IPv4 address that begins with 127.
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
