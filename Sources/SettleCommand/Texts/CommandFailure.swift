/// Why a command could not do its work, in sentences for the one who typed it.
///
/// The tool prints it on standard error and ends with status 1.
struct CommandFailure: Error, CustomStringConvertible {
    /// What happened and what to do.
    let description: String

    /// A failure with this text.
    init(_ description: String) {
        self.description = description
    }
}

/// A command that was interrupted and has something to say about it.
///
/// The tool prints it on standard error and ends with status 130.
struct Interrupted: Error {
    /// What was done and what was not.
    let description: String

    /// An interruption with this text.
    init(_ description: String) {
        self.description = description
    }
}
