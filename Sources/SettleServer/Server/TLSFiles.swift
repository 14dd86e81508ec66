public import Foundation
import NIOSSL

/// The certificate and the key of a server that speaks TLS, from 1.2 on.
public struct TLSFiles: Sendable {
    /// The certificate and those between it and the one that clients trust, in this order; PEM, a file URL.
    public var certificate: URL
    /// The private key of the certificate, not encrypted; PEM, a file URL.
    public var key: URL

    /// Names the files; they are read when the server starts.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, with its chain.
    ///   - key: Its private key.
    public init(certificate: URL, key: URL) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads the files.
    ///
    /// - Throws: ``ServerError`` with `invalidConfiguration` naming the file that cannot be read, or is
    ///   none of this machine, or both when they do not belong together.
    func configuration() throws(ServerError) -> TLSConfiguration {
        try ConfiguredFile.check(certificate, is: "The certificate")
        try ConfiguredFile.check(key, is: "The key")
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate.path)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The certificate '\(certificate.path)' cannot be read; give a file in PEM that this "
                    + "user may read.", cause: error)
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(file: key.path, format: .pem)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The key '\(key.path)' cannot be read; give a private key in PEM that is not "
                    + "encrypted and that this user may read.", cause: error)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerError(
                .invalidConfiguration,
                "The certificate '\(certificate.path)' and the key '\(key.path)' do not belong "
                    + "together; give the key that the certificate was made for.", cause: error)
        }
        return configuration
    }
}
