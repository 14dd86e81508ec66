import Foundation

/// The commands of a guide that a test runs, with the answers that the guide shows.
///
/// Shape: a block of shell behind a line `<!-- run -->`. Below a command there may be a comment
/// with what it answers: `# 201 {"id":"a",…}`, the status and the body, in which `…` stands for
/// anything; or only the status.
struct GuideScript: Sendable {
    /// One command, and what the guide says of it.
    struct Step: Sendable {
        /// The line of the guide, from 1.
        var line: Int
        var command: String
        var status: Int?
        /// The parts of the body between what may be anything.
        var parts: [String] = []
    }

    private(set) var steps: [Step] = []

    /// Reads a guide.
    init(markdown: String) {
        var isMarked = false
        var isInside = false
        for (index, line) in markdown.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            switch line {
            case "<!-- run -->": isMarked = true
            case "```sh" where isMarked: (isMarked, isInside) = (false, true)
            case "```": isInside = false
            default: if isInside { take(String(line), index + 1) }
            }
        }
    }

    private mutating func take(_ line: String, _ number: Int) {
        if line.hasPrefix("# ") {
            let words = line.dropFirst(2).split(separator: " ", maxSplits: 1)
            guard let first = words.first, first.count == 3, let status = Int(first),
                !steps.isEmpty
            else { return }
            steps[steps.count - 1].status = status
            let body = words.count == 2 ? String(words[1]) : "…"
            steps[steps.count - 1].parts = body.components(separatedBy: "…")
        } else if let last = steps.last, last.command.hasSuffix("\\") || last.isQuoteOpen {
            steps[steps.count - 1].command += "\n" + line
        } else if !line.isEmpty {
            steps.append(Step(line: number, command: line))
        }
    }

    /// The commands as one script.
    ///
    /// Each one leaves what it printed and the headers that came with it in files of the directory
    /// that the script runs in. The script ends at the first command that fails.
    var text: String {
        var text = """
            set -e
            curl() { command curl --silent --show-error --max-time 300 -D "$HEADERS" "$@"; }

            """
        for (number, step) in steps.enumerated() {
            text += """
                HEADERS=headers.\(number); : > "$HEADERS"
                { \(step.command)
                } > body.\(number)

                """
        }
        return text
    }
}

extension GuideScript.Step {
    /// Whether a quote goes on behind the end of the command so far.
    fileprivate var isQuoteOpen: Bool { command.count { $0 == "'" } % 2 == 1 }

    /// Why what a command printed is not what the guide says; nil when it is.
    func fault(headers: String, body: String) -> String? {
        guard let status else { return nil }
        let found = headers.split(separator: "\r\n").last { $0.hasPrefix("HTTP/") }
            .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        guard found == status else { return "the status is \(found ?? 0)" }
        var body = body.trimmingCharacters(in: .newlines)[...]
        for (index, part) in parts.enumerated() {
            let isFirst = index == 0
            let isLast = index == parts.count - 1
            if isFirst, !body.hasPrefix(part) { return "the body is \(body)" }
            if isLast, !isFirst || parts.count == 1 {
                guard body.hasSuffix(part), parts.count > 1 || body == part else {
                    return "the body ends with \(body)"
                }
                continue
            }
            guard let range = body.firstRange(of: part) else { return "no '\(part)' in \(body)" }
            body = body[range.upperBound...]
        }
        return nil
    }
}
