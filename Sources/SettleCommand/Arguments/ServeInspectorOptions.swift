import ArgumentParser

/// Whether a server can be looked into with a browser.
struct ServeInspectorOptions: ParsableArguments {
    @Flag(
        name: .customLong("inspector"),
        help: "Print a second address, on this machine alone, that shows the tables in a browser.")
    var isOn = false

    @Option(
        name: .customLong("inspector-port"), parsing: .unconditional,
        help: ArgumentHelp("The port of that address; 0 takes a free one.", valueName: "port"),
        transform: CountArgument.port(parsing:))
    var port: UInt16?

    @Flag(
        name: .customLong("inspector-path"),
        help: ArgumentHelp(
            "Show the tables in a browser at /inspector of the server itself, to bearers of a token with the claim \"inspector\": true."
        ))
    var isMounted = false

    /// Refuses a port for an inspector that there is none of.
    ///
    /// - Throws: `ValidationError`.
    func check() throws {
        guard port == nil || isOn else {
            throw ValidationError("--inspector-port is for --inspector, which is not given.")
        }
    }
}
