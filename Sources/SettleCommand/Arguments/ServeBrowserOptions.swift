import ArgumentParser
import SettleServer

/// What pages in browsers may do with a server.
struct ServeBrowserOptions: ParsableArguments {
    @Option(
        name: .customLong("host-name"),
        help: ArgumentHelp(
            """
            A name or an address that requests without a token may call the server by, besides \
            localhost and the address it listens on; may be given several times.
            """, valueName: "name"))
    var hostNames: [String] = []

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp(
            """
            An origin whose pages may use the server from a browser, such as \
            https://app.example.com; may be given several times, * is for all.
            """, valueName: "origin"))
    var origins: [String] = []

    func validate() throws {
        guard !origins.contains("*") || origins.count == 1 else {
            throw ValidationError("--cors-origin '*' is for all; leave the others out.")
        }
    }

    /// Sets what was said.
    func apply(to configuration: inout ServerConfiguration) {
        configuration.hostNames = hostNames
        guard !origins.isEmpty else { return }
        configuration.crossOriginSharing = origins == ["*"] ? .allOrigins : .origins(origins)
    }
}
