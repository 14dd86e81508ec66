import ArgumentParser
import Foundation
import SettleServer

/// Whether a server speaks TLS.
struct ServeTLSOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Speak TLS (1.2 and later) with this certificate and its chain; PEM.",
            valueName: "file"),
        completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp(
            "The private key of the certificate; PEM, not encrypted.", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key need each other.")
        }
    }

    /// The files; nil for plain HTTP.
    var files: TLSFiles? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return TLSFiles(
            certificate: URL(fileURLWithPath: tlsCertificate), key: URL(fileURLWithPath: tlsKey))
    }
}
