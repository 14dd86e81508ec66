import Foundation
import Settle

/// The text of a document while it is edited, in a file for the user alone.
struct EditSession: Sendable {
    private let id: String
    private let folder: URL
    private let url: URL
    private let text: String

    /// How often an editor is opened that nobody sees: a program would go on for ever.
    private static let unseenCountMax = 10

    /// Begins a line that belongs to the tool and not to the document.
    private static let mark = "#"

    /// Where the text is.
    var path: String { url.path }

    /// Writes the text of a document.
    ///
    /// - Throws: ``CommandFailure`` when there is no place for the file.
    init(id: String, members: [String: JSONValue]) throws {
        self.id = id
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("settle-edit-\(UUID().uuidString)", isDirectory: true)
        url = folder.appendingPathComponent("document.json")
        var members = members
        members["id"] = .string(id)
        text = JSONRendering.indented(.object(members)) + "\n"
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try Data(text.utf8).write(to: url)
        } catch {
            throw CommandFailure(
                "The text cannot be kept in '\(folder.path)': \(error.localizedDescription)")
        }
    }

    /// Removes the file.
    func discard() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Lets the user edit the text until it is a document.
    ///
    /// - Returns: The members of the document but its identifier; nil when nothing was changed.
    /// - Throws: ``CommandFailure`` when the editor fails, and for a text that is no document and
    ///   was saved twice; ``Interrupted`` when the task is cancelled, and `CancellationError` when
    ///   nothing was written by then. A file that was written to stays.
    func edited() async throws -> [String: JSONValue]? {
        // Without the lines of the tool, because an editor may drop or keep them.
        var before = text
        var count = 0
        while true {
            count += 1
            try await openEditor()
            let plain = Self.withoutMarks(try read())
            if plain == text || plain.allSatisfy(\.isWhitespace) { return nil }
            guard plain != before else {
                throw CommandFailure(
                    "The text is no document yet, so nothing was stored. It is in '\(path)'.")
            }
            do {
                return try members(of: plain)
            } catch {
                let sentence = FailureText.sentence(for: error)
                guard Terminal.canAsk || count < Self.unseenCountMax else {
                    throw CommandFailure(
                        "\(sentence) Nothing was stored; your text is in '\(path)'.")
                }
                StandardError.line(sentence)
                before = plain
                try write("\(Self.mark) \(sentence)\n\(plain)")
            }
        }
    }

    private func openEditor() async throws {
        let environment = ProcessInfo.processInfo.environment
        let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }
        let editor = named.first { !$0.isEmpty } ?? "vi"
        let line = "\(editor) '\(path.replacing("'", with: "'\\''"))'"
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Terminal.run(line)) }
        }
        if Task.isCancelled {
            if (try? read()) == text {
                discard()
                throw CancellationError()
            }
            throw Interrupted("Interrupted; nothing was stored. Your text is in '\(path)'.")
        }
        guard status == 0 else {
            let reason = status.map { "ended with status \($0)" } ?? "was ended"
            var sentence =
                "The editor '\(editor)' \(reason), so nothing was stored. VISUAL or EDITOR in the "
                + "environment names another one."
            if (try? read()) == text {
                discard()
            } else {
                sentence += " Your text is in '\(path)'."
            }
            throw CommandFailure(sentence)
        }
    }

    private func members(of text: String) throws -> [String: JSONValue] {
        let typed = try TypedDocument(try JSONValue(jsonText: text))
        guard typed.givenId ?? id == id else {
            throw CommandFailure(
                "The identifier must stay '\(ScreenText.printable(id))'; 'settle put' makes "
                    + "another document.")
        }
        // What the database would refuse is to be said while the editor is at hand.
        _ = try Document(id: id, members: typed.members).toJSON()
        return typed.members
    }

    private func read() throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("The file '\(path)' is gone, so nothing was stored.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(
                "The file '\(path)' is not UTF-8, so nothing was stored. Your text is in it.")
        }
        // Some editors write a byte order mark, which is no part of the document.
        return text.unicodeScalars.first == "\u{FEFF}"
            ? String(text.unicodeScalars.dropFirst()) : text
    }

    private func write(_ text: String) throws {
        do {
            try Data(text.utf8).write(to: url)
        } catch {
            throw CommandFailure(
                "The text cannot be written to '\(path)': \(error.localizedDescription)")
        }
    }

    /// The text without the lines of the tool at its beginning.
    private static func withoutMarks(_ text: String) -> String {
        var rest = text[...]
        while rest.hasPrefix(mark) {
            rest = rest.drop { $0 != "\n" }.dropFirst()
        }
        return String(rest)
    }
}
