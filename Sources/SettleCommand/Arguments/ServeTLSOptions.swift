import ArgumentParser
import Configuration
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

    /// The settings that were given.
    var settings: [ServerSetting: ConfigContent?] {
        [
            .tlsCertificate: tlsCertificate.map { .string($0) },
            .tlsKey: tlsKey.map { .string($0) },
        ]
    }
}
