import Foundation
import SettlePrimitives

/// Where the lines of a shell come from: an editor on a terminal, a terminal as it is, or a file or pipe.
struct ShellInput: Sendable {
    /// Whether somebody types them.
    let isTyped: Bool
    private let history: ShellHistory
    #if LineEditing
        private let editor: LineEditor?
    #endif

    /// The lines of standard input.
    ///
    /// - Parameter completion: What Tab makes of a text, where lines are edited.
    init(completion: ShellCompletion) {
        isTyped = Terminal.isInput
        history = ShellHistory()
        #if LineEditing
            editor =
                Terminal.canEdit
                ? LineEditor(history: history.lines()) { await completion.completion(of: $0) } : nil
        #endif
    }

    /// The next line.
    ///
    /// - Parameter prompt: What a terminal shows before it.
    /// - Returns: The line.
    func next(prompt: String) async -> TypedLine {
        #if LineEditing
            if let editor { return await editor.line(prompt: prompt) }
        #endif
        if isTyped { try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8)) }
        // Reading may take long, which the threads of tasks are not for.
        return await withCheckedContinuation { continuation in
            DedicatedThread.start(name: "settle-shell") {
                continuation.resume(returning: Terminal.inputLine().map(TypedLine.text) ?? .end)
            }
        }
    }

    /// Keeps a line for later, where lines are edited; one that begins with a space is not kept.
    func remember(_ text: String) {
        #if LineEditing
            guard let editor, !text.hasPrefix(" "), text.contains(where: { !$0.isWhitespace })
            else { return }
            let line = text.replacing("\\\n", with: "").replacing("\n", with: " ")
            editor.remember(line)
            history.append(line)
        #endif
    }
}
