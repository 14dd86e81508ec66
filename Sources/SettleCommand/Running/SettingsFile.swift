import Configuration
import Foundation
import Settle
import SettleServer

/// A file with settings of a server: a JSON object with a member for each.
struct SettingsFile {
    /// The settings of the file.
    let settings: [ServerSetting: ConfigContent]

    /// Reads a file.
    ///
    /// - Throws: ``CommandFailure`` that names the file and the place or the member, when it cannot be read, is no
    ///   JSON object, names a setting that there is not, or gives one a value of another kind.
    init(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("The settings '\(path)' cannot be read. Is the file there?")
        }
        let json: JSONValue
        do {
            json = try JSONText.value(from: [UInt8](data))
        } catch {
            throw CommandFailure(
                "The settings '\(path)' cannot be read at line \(error.line), column "
                    + "\(error.column): \(error.message)")
        }
        guard case .object(let members) = json else {
            throw CommandFailure(
                "The settings '\(path)' are no JSON object, such as {\"port\":8080}.")
        }
        var settings: [ServerSetting: ConfigContent] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let setting = ServerSetting.all.first(where: { $0.key == name }) else {
                throw CommandFailure(
                    "The settings '\(path)' have '\(ScreenText.printable(name))', which there is not. "
                        + Self.advice(name))
            }
            guard let content = Self.content(value, setting.kind) else {
                throw CommandFailure(
                    "'\(name)' in '\(path)' is of the wrong kind: it takes \(setting.expectation).")
            }
            settings[setting] = content
        }
        self.settings = settings
    }

    private static func advice(_ name: String) -> String {
        // As an option or a variable has it, it is found as well.
        let written = name.split { "-_.".contains($0) }.joined()
        return Misspelling.nearest(to: written, among: ServerSetting.all.map(\.key))
            .map { "Did you mean '\($0)'?" } ?? "'settle serve --print-config' lists them."
    }

    private static func content(
        _ value: JSONValue, _ kind: ServerSetting.Kind
    ) -> ConfigContent? {
        switch (kind, value) {
        case (.text, .string(let text)), (.choice, .string(let text)),
            (.duration, .string(let text)):
            .string(text)
        case (.choice, .integer(let number)), (.duration, .integer(let number)):
            .string("\(number)")
        case (.flag, .bool(let flag)): .bool(flag)
        case (.number, .integer(let number)): .int(Int(number))
        case (.rate, .integer(let number)): .double(Double(number))
        case (.rate, .double(let number)): .double(number)
        case (.list, .string(let text)): .stringArray([text])
        case (.list, .array(let elements)): list(elements)
        default: nil
        }
    }

    private static func list(_ elements: [JSONValue]) -> ConfigContent? {
        let texts = elements.compactMap(\.stringValue)
        return texts.count == elements.count ? .stringArray(texts) : nil
    }
}
