import Foundation
import Settle

/// Makes documents of the values in an import.
struct DocumentReader {
    /// The member that holds the identifier when it is not `id`.
    let idMember: String?

    /// The document that a record holds.
    ///
    /// - Throws: ``ImportFault``.
    func document(from record: RecordSplitter.Record, inArray: Bool) throws(ImportFault) -> Document
    {
        let document: Document
        do {
            if let idMember {
                document = try self.document(from: record, identifiedBy: idMember)
            } else {
                document = try Document(json: Data(record.bytes))
            }
        } catch let failure as ImportFault {
            throw failure
        } catch {
            // What the text is lies below what the library says of documents.
            guard let fault = error as? JSONError ?? (error as? DatabaseError)?.cause as? JSONError
            else { throw ImportFault(line: record.line, message: FailureText.sentence(for: error)) }
            throw ImportFault(
                line: record.line + fault.line - 1,
                message: Self.message(for: fault, inArray: inArray))
        }
        do {
            try DocumentIdentifier.check(document.id)
        } catch {
            throw ImportFault(line: record.line, message: "\(error)")
        }
        return document
    }

    /// The document of a record whose identifier is in a member of another name, or is a number.
    private func document(
        from record: RecordSplitter.Record, identifiedBy member: String
    ) throws -> Document {
        guard let text = String(validating: record.bytes, as: UTF8.self) else {
            throw ImportFault(line: record.line, message: "A string is not UTF-8.")
        }
        guard var members = try JSONValue(jsonText: text).objectValue else {
            throw ImportFault(line: record.line, message: "A document is a JSON object.")
        }
        let id = try identifier(of: members, in: member, at: record.line)
        // In a document "id" is the identifier, so a member of this name has no place of its own.
        switch members.removeValue(forKey: "id") {
        case nil: break
        case .string(id)?: break
        case .integer(let number)? where String(number) == id: break
        default:
            throw ImportFault(
                line: record.line,
                message: "The document has a member 'id' beside the identifier in '\(member)', "
                    + "which would be lost; rename it.")
        }
        return Document(id: id, members: members)
    }

    private func identifier(
        of members: [String: JSONValue], in member: String, at line: Int
    ) throws(ImportFault) -> String {
        switch members[member] {
        case .string(let text)?: return text
        case .integer(let number)?: return String(number)
        case nil:
            throw ImportFault(
                line: line,
                message: "The document has no member '\(member)' to take its identifier from; "
                    + "choose another with --id-member.")
        default:
            throw ImportFault(
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
