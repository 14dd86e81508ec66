import Foundation
import Settle

/// What a page is asked, and what it may use.
struct PageRequest: Sendable {
    let database: Database
    /// The fields of the address, or of the form.
    let values: FormValues
    /// Whether something may be changed.
    let isWritable: Bool
    let growth: GrowthRecord
    let jobs: Jobs
    let staged: StagedAttachments
    /// What all addresses begin with: the path that the pages are under, or nothing.
    let base: String
    /// What the server of the tables has counted; nil where there is none.
    let metricsReport: String?

    /// How many rows a page of a list has.
    static let pageSize = 50

    /// The address of a page of the same database; fields without a value are left out.
    func address(_ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
        Self.address(database.name, path, fields, under: base)
    }

    /// The address of a page of a database.
    static func address(
        _ name: String, _ path: String, _ fields: KeyValuePairs<String, String?> = [:],
        under base: String = ""
    ) -> String {
        let shown = fields.compactMap { field in
            field.value.map { "\(Percent.encoded(field.key))=\(Percent.encoded($0))" }
        }
        let query = shown.isEmpty ? "" : "?" + shown.joined(separator: "&")
        return "\(base)/d/\(Percent.encoded(name))/\(path)\(query)"
    }

    /// The same request with the fields of another form.
    func with(_ values: FormValues) -> PageRequest {
        PageRequest(
            database: database, values: values, isWritable: isWritable, growth: growth, jobs: jobs,
            staged: staged, base: base, metricsReport: metricsReport)
    }

    /// The address of the page of a document.
    func address(ofDocument id: String) -> String { address("document", ["id": id]) }

    /// The address of the documents of a type; nil for none, and for one that is too long for an address.
    func address(ofType type: String?) -> String? {
        guard let type, !type.isEmpty, type.utf8.count <= 255 else { return nil }
        return address("documents", ["type": type])
    }

    /// A field that must be filled in.
    ///
    /// - Throws: ``PageProblem`` 400 when it is not.
    func required(_ name: String) throws(PageProblem) -> String {
        guard let value = values.filled(name) else {
            throw .unusable("The field '\(name)' is missing. Go back and fill it in.")
        }
        return value
    }

    /// The document that the field `id` names, for a page that changes it.
    ///
    /// - Throws: ``PageProblem`` where nothing may be written, 400 without the field, 404 when there is no such document;
    ///   what the database throws when it cannot be read.
    func writableDocument() throws -> Document {
        guard isWritable else { throw PageProblem.readOnly }
        let id = try required("id")
        guard let document = try database.read({ try $0.document(id) }) else {
            throw PageProblem.missing("There is no document '\(VisibleText.beginning(of: id))'.")
        }
        return document
    }

    /// A field with JSON; nil when it is not filled in.
    ///
    /// - Throws: ``PageProblem`` 400 when it holds something else.
    func json(_ name: String) throws(PageProblem) -> JSONValue? {
        guard let text = values.filled(name) else { return nil }
        do {
            return try JSONValue(jsonText: text)
        } catch {
            throw .unusable("The field '\(name)' is not JSON: \(error)")
        }
    }
}

/// What a page shows.
struct PageContent {
    let title: String
    let blocks: [Block]
}
