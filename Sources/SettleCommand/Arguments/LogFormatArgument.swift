import ArgumentParser

/// How lines of the log are written.
enum LogFormatArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case json
}
