import ArgumentParser
import Settle

/// Commands and options that nobody knows, and those that may be meant.
enum Misspelling {
    /// What to say of a command line whose command is none.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program.
    ///   - command: The command that they belong to.
    /// - Returns: A sentence; nil when the command is known, or none is named.
    static func sentence(
        for arguments: [String], of command: any ParsableCommand.Type
    ) -> String? {
        let subcommands = command.configuration.subcommands
        guard let first = arguments.first, !first.hasPrefix("-"), !subcommands.isEmpty else {
            return nil
        }
        let rest = Array(arguments.dropFirst())
        if first == "help" { return sentence(for: rest, of: command) }
        if let found = subcommands.first(where: { name(of: $0) == first }) {
            return sentence(for: rest, of: found)
        }
        let nearest = nearest(to: first, among: subcommands.map(name(of:)))
        let configuration = command.configuration
        guard configuration.defaultSubcommand == nil else {
            // What is no word of the list is an argument, as in 'settle indexes ./shop'.
            guard let nearest, rest.contains(where: { !$0.hasPrefix("-") }) else { return nil }
            return "There is no command '\(name(of: command)) \(shown(first))'. "
                + "Did you mean '\(name(of: command)) \(nearest)'?"
        }
        let advice = nearest.map { "Did you mean '\($0)'?" } ?? "'settle --help' lists them."
        return "There is no command '\(shown(first))'. \(advice)"
    }

    /// What to say of the first option that is none.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program.
    ///   - command: The command that they belong to.
    /// - Returns: A sentence; nil when all are known.
    static func option(in arguments: [String], of command: any ParsableCommand.Type) -> String? {
        if let first = arguments.first,
            let found = command.configuration.subcommands.first(where: { name(of: $0) == first })
        {
            return option(in: Array(arguments.dropFirst()), of: found)
        }
        if let other = command.configuration.defaultSubcommand {
            return option(in: arguments, of: other)
        }
        let known = options(of: command)
        var isValue = false
        for argument in arguments.prefix(while: { $0 != "--" }) {
            guard argument.hasPrefix("--") else {
                if !isValue, let sentence = shortOption(argument) { return sentence }
                isValue = false
                continue
            }
            isValue = known.valued.contains(String(argument.dropFirst(2)))
            let name = String(argument.dropFirst(2).prefix { $0 != "=" })
            guard !known.all.contains(name) else { continue }
            let meant = nearest(to: name, among: known.all.sorted())
            let advice = meant.map { "Did you mean '--\($0)'?" }
            return "Unknown option '--\(shown(name))'. "
                + (advice ?? "The --help of the command lists them.")
        }
        return nil
    }

    /// What to say of a word that begins with one `-`.
    ///
    /// No command has an option of one letter but `-h`.
    private static func shortOption(_ word: String) -> String? {
        guard word.hasPrefix("-"), word != "-", word != "-h" else { return nil }
        let shown = shown(word)
        return "Unknown option '\(shown)'. What begins with - and is no option stands after --, "
            + "such as an identifier: settle get ./shop -- \(shown)"
    }

    /// The long options of a command.
    struct Options {
        /// All of them.
        let all: Set<String>
        /// Those that a value follows.
        let valued: Set<String>
        /// The values of those that take one of a few.
        let values: [String: [String]]
    }

    /// The long options of a command.
    static func options(of command: any ParsableCommand.Type) -> Options {
        let described = (try? JSONValue(jsonText: command._dumpHelp())) ?? .null
        let arguments = described["command"]?["arguments"]?.arrayValue ?? []
        func names(_ argument: JSONValue) -> [String] {
            (argument["names"]?.arrayValue ?? []).compactMap {
                $0["kind"] == "long" ? $0["name"]?.stringValue : nil
            }
        }
        let valued = arguments.filter { $0["kind"] == "option" }
        var values: [String: [String]] = [:]
        for argument in valued {
            let few = (argument["allValues"]?.arrayValue ?? []).compactMap(\.stringValue)
            for name in names(argument) where !few.isEmpty { values[name] = few }
        }
        return Options(
            all: Set(arguments.flatMap(names)).union([
                "help", "version", "generate-completion-script",
            ]),
            valued: Set(valued.flatMap(names)), values: values)
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    /// A word as a message shows it, which may be a whole line that was meant for something else.
    static func shown(_ word: String) -> String {
        ScreenText.cut(ScreenText.printable(String(word.prefix(lengthMax))), to: lengthMax - 1)
    }

    /// Longer than any command or option.
    private static let lengthMax = 64

    /// The word that is not far from another: begun so, or with at most two slips, fewer in short ones.
    static func nearest(to word: String, among words: [String]) -> String? {
        guard word.utf8.count <= lengthMax else { return nil }
        let found = words.map { ($0, distance(word.lowercased(), $0.lowercased())) }
            .map { (word: $0.0, distance: $0.1) }
            .min { $0.distance < $1.distance }
        if let found, found.distance <= min(2, max(1, word.count / 2)), word.count > 1 {
            return found.word
        }
        let begun = words.filter { word.count > 1 && $0.hasPrefix(word.lowercased()) }
        return begun.count == 1 ? begun[0] : nil
    }

    /// How many characters are to be put in, left out, changed, or exchanged with their neighbour.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left), Array(right))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
