import ArgumentParser
import Configuration
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

    /// The settings that were given.
    var settings: [ServerSetting: ConfigContent?] {
        [
            .hostName: hostNames.isEmpty ? nil : .stringArray(hostNames),
            .corsOrigin: origins.isEmpty ? nil : .stringArray(origins),
        ]
    }
}
