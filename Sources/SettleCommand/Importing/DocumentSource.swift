import Foundation
import Settle

/// A document as somebody typed it.
struct TypedDocument: Sendable, Equatable {
    /// The identifier, if it says one.
    var givenId: String?
    /// The other members.
    let members: [String: JSONValue]

    /// A document of a JSON object.
    ///
    /// - Throws: ``CommandFailure`` for other values, and for an identifier that is no string.
    init(_ value: JSONValue) throws {
        guard var members = value.objectValue else {
            throw CommandFailure("A document is a JSON object, such as '{\"id\":\"apple\"}'.")
        }
        switch members.removeValue(forKey: "id") {
        case nil: break
        case .string(let id)?: givenId = id
        default: throw CommandFailure("The member \"id\" is the identifier and must be a string.")
        }
        self.members = members
    }
}

/// Where `settle put` takes documents from.
struct DocumentSource {
    private let argument: String

    /// A source: JSON text, the path of a file, or `-`.
    init(_ argument: String) {
        self.argument = argument
    }

    /// All documents that it holds.
    ///
    /// - Returns: The documents, in their order.
    /// - Throws: ``CommandFailure`` that names the source and says what is wrong there;
    ///   `CancellationError` when the task is cancelled while the source is read.
    func documents() async throws -> [TypedDocument] {
        let (name, text) = try await read()
        do {
            return try Self.documents(in: text)
        } catch {
            throw CommandFailure("\(name): \(FailureText.sentence(for: error))")
        }
    }

    private func read() async throws -> (name: String, text: [UInt8]) {
        let first = argument.first { !$0.isWhitespace }
        if first == "{" || first == "[" { return ("The argument", Array(argument.utf8)) }
        guard argument == "-" || FileManager.default.fileExists(atPath: argument) else {
            throw CommandFailure(
                "'\(ScreenText.printable(argument))' is neither a JSON object nor a file. Write "
                    + "an object between single quotes: '{\"id\":\"apple\"}'.")
        }
        let source = try ImportSource(path: argument)
        return (source.name, try await source.all())
    }

    /// The documents in a text: an object, an array of objects, or an object a line.
    ///
    /// - Parameter bytes: The text in UTF-8; a byte order mark before it is left out.
    /// - Returns: The documents, in their order.
    /// - Throws: ``CommandFailure`` or `JSONError` when the text is none of these.
    static func documents(in bytes: [UInt8]) throws -> [TypedDocument] {
        let text = ForeignFile.withoutMark(bytes)
        if let kind = ForeignFile(beginning: text) { throw CommandFailure(kind.sentence) }
        // Decoding would put U+FFFD in the place of what is wrong, and that would be stored.
        guard let string = String(validating: text, as: UTF8.self) else {
            throw CommandFailure("A string is not UTF-8. Nothing was stored.")
        }
        do {
            let value = try JSONValue(jsonText: string)
            guard let elements = value.arrayValue else { return [try TypedDocument(value)] }
            return try elements.map { try TypedDocument($0) }
        } catch let whole as JSONError {
            let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in
                line.contains { ![0x09, 0x0D, 0x20].contains($0) }
            }
            // One object over several lines is no list of objects.
            guard lines.count > 1,
                (try? JSONValue(jsonText: String(decoding: lines[0], as: UTF8.self))) != nil
            else { throw whole }
            return try lines.enumerated().map { number, line in
                do {
                    return try TypedDocument(
                        JSONValue(jsonText: String(decoding: line, as: UTF8.self)))
                } catch {
                    throw CommandFailure(
                        "Document \(number + 1): \(FailureText.sentence(for: error))")
                }
            }
        }
    }
}
