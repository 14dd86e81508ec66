#if LineEditing
    import CEdit
    import Foundation
    import SettlePrimitives
    import Synchronization

    /// Lines that are typed on the terminal of standard input and output, with a history and completion, by libedit.
    ///
    /// Keys are those of Emacs unless `~/.editrc` says otherwise. Ctrl-C gives up the line, Ctrl-D on an empty one is
    /// the end. One line is read at a time.
    @safe final class LineEditor: @unchecked Sendable {
        /// Used by the thread that reads a line alone, and before and after it.
        private let edit: UnsafeMutablePointer<settle_edit>
        private let completion: @Sendable (String) async -> LineCompletion

        /// So many lines are remembered.
        private static let historyCountMax: Int32 = 1_000

        /// An editor; nil when the terminal cannot be used so.
        ///
        /// - Parameters:
        ///   - history: The lines of earlier sessions, oldest first.
        ///   - completion: What Tab does with the text before the cursor.
        init?(
            history: [String],
            completion: @escaping @Sendable (String) async -> LineCompletion
        ) {
            guard let edit = unsafe settle_edit_open(Self.historyCountMax) else { return nil }
            unsafe self.edit = edit
            self.completion = completion
            for line in history { remember(line) }
            unsafe settle_edit_set_completion(
                edit,
                { context in
                    guard let context = unsafe context else { return SETTLE_EDIT_NOTHING }
                    // Safe: the editor lives as long as its line is read.
                    return unsafe Unmanaged<LineEditor>.fromOpaque(context).takeUnretainedValue()
                        .complete()
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        deinit {
            unsafe settle_edit_close(edit)
        }

        /// Reads a line, on a thread of its own.
        func line(prompt: String) async -> TypedLine {
            await withCheckedContinuation { continuation in
                DedicatedThread.start(name: "settle-shell") { [self] in
                    continuation.resume(returning: read(prompt: prompt))
                }
            }
        }

        private func read(prompt: String) -> TypedLine {
            guard let text = unsafe settle_edit_read(edit, prompt) else {
                guard unsafe edit.pointee.is_cancelled else { return .end }
                try? FileHandle.standardOutput.write(contentsOf: Data("^C\n".utf8))
                return .cancelled
            }
            let line = unsafe String(cString: text)
            return .text(line.hasSuffix("\n") ? String(line.dropLast()) : line)
        }

        /// Adds a line to the history.
        func remember(_ line: String) {
            unsafe settle_edit_remember(edit, line)
        }

        /// Completes the word before the cursor, or lists what it may become.
        private func complete() -> settle_edit_completed {
            guard let copied = unsafe settle_edit_copy_beginning(edit) else {
                return SETTLE_EDIT_NOTHING
            }
            let beginning = unsafe String(cString: copied)
            unsafe free(copied)
            // This thread is none of Swift's tasks, so it may wait for one.
            let answer = Lock(LineCompletion.none)
            let answered = DispatchSemaphore(value: 0)
            Task { [completion] in
                let found = await completion(beginning)
                answer.withLock { $0 = found }
                answered.signal()
            }
            answered.wait()
            switch answer.withLock({ $0 }) {
            case .none: return SETTLE_EDIT_NOTHING
            case .replacement(let count, let text):
                return unsafe settle_edit_replace(edit, Int32(clamping: count), text)
                    ? SETTLE_EDIT_CHANGED : SETTLE_EDIT_NOTHING
            case .list(let words):
                let text = "\n" + words.map { ScreenText.printable($0) + "\n" }.joined()
                try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
                return SETTLE_EDIT_LISTED
            }
        }
    }
#endif
