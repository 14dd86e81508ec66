import Foundation
import Settle

/// Makes documents of the values in an import.
struct DocumentReader {
    /// The member that holds the identifier when it is not `id`.
    let idMember: String?

    /// A record that is no document.
    struct Failure: Error, Equatable {
        /// The line it begins on, from 1.
        let line: Int
        /// What is wrong and what to do.
        let message: String
    }

    /// The document that a record holds.
    ///
    /// - Throws: ``Failure``.
    func document(from record: RecordSplitter.Record, inArray: Bool) throws(Failure) -> Document {
        var document: Document
        do {
            document = try Document(json: Data(record.bytes))
        } catch let error as JSONError {
            let line = record.line + error.line - 1
            throw Failure(line: line, message: Self.message(for: error, inArray: inArray))
        } catch {
            throw Failure(line: record.line, message: FailureText.sentence(for: error))
        }
        if let idMember {
            document.id = try identifier(of: document, in: idMember, at: record.line)
        }
        do {
            try DocumentIdentifier.check(document.id)
        } catch {
            throw Failure(line: record.line, message: "\(error)")
        }
        return document
    }

    private func identifier(
        of document: Document, in member: String, at line: Int
    ) throws(Failure) -> String {
        switch document[json: member] {
        case .string(let text)?: return text
        case .integer(let number)?: return String(number)
        case nil:
            throw Failure(
                line: line,
                message: "The document has no member '\(member)' to take its identifier from; "
                    + "choose another with --id-member.")
        default:
            throw Failure(
                line: line,
                message: "The member '\(member)' is neither a string nor a whole number, so it "
                    + "cannot be an identifier.")
        }
    }

    private static func message(for error: JSONError, inArray: Bool) -> String {
        let message = "Column \(error.column): \(error.message)"
        guard error.reason == .unexpectedEnd, !inArray else { return message }
        return message
            + " Outside an array each document stands on a line of its own; to import a document "
            + "that spans lines, put [ before it and ] after it."
    }
}
