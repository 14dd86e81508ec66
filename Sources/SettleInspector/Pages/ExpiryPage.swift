import Foundation
import Settle

/// When a document is purged by itself: set, changed and removed, after what would be different was shown.
enum ExpiryPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        let document = try request.writableDocument()
        let form = Form(
            action: request.address("expiry/review"),
            fields: [
                Field(
                    name: "date", label: "Expires at",
                    value: document.metaData.expirationDate.map(Amounts.date) ?? "",
                    hint: "UTC: 2030-01-31 or 2030-01-31T12:30:00Z. Empty for never.")
            ], hidden: [("id", document.id)], button: "Show what is different")
        return PageContent(
            title: "Expiry of \(VisibleText.beginning(of: document.id))",
            blocks: [
                .text(
                    "A document that expires is purged: it goes without a tombstone, and a replication does not hear of it."
                ), .form(form),
            ])
    }

    /// What a date would change, with the button that sets it.
    static func review(_ request: PageRequest) throws -> PageContent {
        let document = try request.writableDocument()
        let date = try wanted(request)
        let old = document.metaData.expirationDate
        var table = Table(
            caption: "What is different", columns: ["", "Before", "After"],
            emptiness: "Nothing is different.")
        if old.map(Amounts.date) != date.map(Amounts.date) {
            table.add(
                .name("Expires"), .text(old.map(Amounts.date) ?? "never"),
                .text(date.map(Amounts.date) ?? "never"))
        }
        var blocks: [Block] = []
        if let date, date <= Date() {
            blocks.append(.warning("That is past, so the document is purged at once."))
        }
        let form = Form(
            action: request.address("expiry/save"),
            hidden: [
                ("id", document.id), ("revision", document.metaData.revision ?? ""),
                ("shown", old.map(Amounts.date) ?? ""), ("date", date.map(Amounts.date) ?? ""),
            ], button: "Save", isDanger: date.map { $0 <= Date() } ?? false)
        return PageContent(
            title: "Differences in \(VisibleText.beginning(of: document.id))",
            blocks: blocks + [.table(table), .form(form)])
    }

    /// Sets the date of the form.
    ///
    /// - Returns: The document.
    /// - Throws: ``PageProblem`` 409 when the document, or its date, is another than the page showed.
    static func save(_ request: PageRequest) async throws -> String {
        let (id, revision) = (try request.required("id"), request.values["revision"])
        let (shown, date) = (request.values["shown"] ?? "", try wanted(request))
        try await request.database.write { transaction in
            guard let document = try transaction.document(id),
                document.metaData.revision == revision,
                document.metaData.expirationDate.map(Amounts.date) ?? "" == shown
            else { throw PageProblem.changed(id) }
            try transaction.setExpirationDate(date, ofDocumentWithId: id)
        }
        return id
    }

    private static func wanted(_ request: PageRequest) throws -> Date? {
        guard let text = request.values.filled("date")?.trimmingCharacters(in: .whitespaces),
            !text.isEmpty
        else { return nil }
        guard let date = KeyDate.date(of: .string(text)) else {
            throw PageProblem.unusable(
                "'\(VisibleText.beginning(of: text))' is no date. Write it as 2030-01-31 or 2030-01-31T12:30:00Z."
            )
        }
        return date
    }
}
