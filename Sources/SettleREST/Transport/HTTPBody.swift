public import HTTPTypes
public import SettleSync

/// The body of a request that is made while it is sent.
public struct HTTPBody: Sendable {
    /// How many bytes it has.
    public let length: Int
    private let make: @Sendable () -> AsyncThrowingStream<[UInt8], any Error>

    /// A body.
    ///
    /// - Parameters:
    ///   - length: How many bytes it has.
    ///   - chunks: Begins to make them, once for each time that the body is sent.
    public init(
        length: Int, chunks: @escaping @Sendable () -> AsyncThrowingStream<[UInt8], any Error>
    ) {
        self.length = length
        make = chunks
    }

    /// The bytes, from the beginning.
    public var chunks: AsyncThrowingStream<[UInt8], any Error> { make() }
}

extension HTTPTransport {
    /// Makes the whole body, and sends it.
    public func send(
        _ request: HTTPRequest, streaming body: HTTPBody, bodySizeMax: Int
    ) async throws(ReplicationError) -> FullHTTPResponse {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.length)
        do {
            for try await chunk in body.chunks { bytes += chunk }
        } catch {
            throw ReplicationError(unexpected: error)
        }
        return try await send(request, body: bytes, bodySizeMax: bodySizeMax)
    }

    /// Makes bodies whole.
    public var streamsBodies: Bool { false }
}
