import ArgumentParser
import Foundation

/// The colours that text is printed in, if any.
struct Palette: Sendable, Equatable {
    /// What a text is.
    enum Role: String, Sendable {
        /// The title of a column, or a line above a document.
        case heading = "1"
        /// The name of a member.
        case name = "36"
        /// A row that is new.
        case inserted = "32"
        /// A row that is gone, and what went wrong.
        case removed = "31"
        /// A row that shows something else, or has moved.
        case changed = "33"
    }

    /// Whether there are any.
    let isColoured: Bool

    /// No colours.
    static let plain = Palette(isColoured: false)

    /// A text in the colour of what it is.
    func text(_ text: String, as role: Role) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Whether to print in colours.
enum ColourChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
    case auto, always, never

    /// The colours of standard output.
    ///
    /// `auto` means: on a terminal that is not dumb, unless `NO_COLOR` is set to something.
    func palette(
        isTerminal: Bool = Terminal.isOutput,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Palette {
        switch self {
        case .always: return Palette(isColoured: true)
        case .never: return .plain
        case .auto:
            let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
            return Palette(
                isColoured: isTerminal && !isRefused && environment["TERM"] != "dumb")
        }
    }
}

/// How commands that print for people do that.
struct ScreenOptions: ParsableArguments {
    @Option(
        help: """
            Print in colours: auto (on a terminal, unless NO_COLOR is set or TERM is dumb), always \
            or never.
            """)
    var color = ColourChoice.auto

    /// Standard output.
    var screen: Screen { Screen(width: Terminal.width(), palette: color.palette()) }
}

/// Where text for people is shown.
struct Screen: Sendable {
    /// How many columns a line may take; nil where nothing is to be cut, as in a file or a pipe.
    let width: Int?
    /// The colours.
    let palette: Palette

    /// No terminal: nothing is cut, and nothing coloured.
    static let plain = Screen(width: nil, palette: .plain)
}
