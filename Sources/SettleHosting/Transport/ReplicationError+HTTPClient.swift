import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SettleREST
import SettleSync

extension ReplicationError {
    /// What a failure of an HTTP client means.
    init(answering error: any Error, host: String, bodySizeMax: Int) {
        switch error {
        case let error as ReplicationError: self = error
        case is CancellationError: self = .cancelledRequest
        case let error as HTTPClientError where error == .cancelled: self = .cancelledRequest
        case let error as HTTPClientError
        where error == .alreadyShutdown || error == .invalidURL || error == .emptyHost:
            self.init(
                .misconfigured,
                error == .alreadyShutdown
                    ? "A request was made after the transport had been shut down."
                    : "The address of a request cannot be written as a URL.", cause: error)
        case NIOHTTPDecompression.DecompressionError.limit: self = .tooLarge(bodySizeMax)
        default:
            self = .noAnswer(
                UnansweredReason(error), host: host,
                mayBeSent: (error as? IOError)?.mayEndConnection ?? false, cause: error)
        }
    }
}

extension IOError {
    /// Whether a connection that stands can end so, and not only one that does not come about.
    fileprivate var mayEndConnection: Bool { errnoCode != ECONNREFUSED }
}

extension UnansweredReason {
    fileprivate init(_ error: any Error) {
        switch error {
        case is UnpinnedKeyError: self = .unpinned
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first {
                self.init(first.error)
            } else {
                self = .unknownHost
            }
        case let error as IOError: self.init(code: error.errnoCode)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = .untrusted
        case is HTTPParserError, is NIOHTTPDecompression.DecompressionError,
            is NIOHTTPDecompression.ExtraDecompressionError:
            self = .garbled
        case ChannelError.connectTimeout: self = .silent
        case is ChannelError: self = .cut
        default: self = .other
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded,
            .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .silent
        case .remoteConnectionClosed: self = .cut
        default: self = .other
        }
    }

    private init(code: CInt) {
        switch POSIXErrorCode(rawValue: code) {
        case .ECONNREFUSED, .EHOSTUNREACH, .EHOSTDOWN, .EADDRNOTAVAIL: self = .refused
        case .ENETDOWN, .ENETUNREACH: self = .offline
        case .ECONNRESET, .EPIPE, .ECONNABORTED, .ENOTCONN: self = .cut
        case .ETIMEDOUT: self = .silent
        default: self = .other
        }
    }
}
