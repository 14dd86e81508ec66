import Foundation
import Settle

/// One document: what is known of it, its members, attachments, and rows in indexes.
enum DocumentPage {
    /// How many bytes of JSON stand in the page; of more there is the download alone.
    private static let textMax = 256 << 10

    static func content(_ request: PageRequest) async throws -> PageContent {
        let id = try request.required("id")
        let (document, change, otherVersions, place) = try request.database.read(
            named: "inspector: document"
        ) {
            (
                try $0.document(id, includingDeleted: true), try $0.lastChange(of: id),
                try $0.conflicts(of: id).count, try MemberPlace(in: $0)
            )
        }
        guard let document, let change else {
            throw PageProblem.missing("There is no document '\(VisibleText.beginning(of: id))'.")
        }
        var blocks: [Block] = []
        if document.metaData.isDeleted {
            blocks.append(.note("The document was deleted; this is its tombstone."))
        }
        if place.isDeleted(document) {
            blocks.append(.note("The item was deleted; the server keeps it as a deleted one."))
        }
        if otherVersions > 0 {
            blocks.append(
                .warning(
                    "There \(otherVersions == 1 ? "is" : "are") \(Amounts.count(otherVersions, "other version")) of it, "
                        + "in conflict with this one.",
                    link: PageLink(
                        text: "Look at them side by side",
                        address: request.address("leaves", ["id": id]))))
        }
        blocks.append(.facts(facts(document, change, place, request)))
        if request.isWritable { blocks += actions(document, request) }
        if try EntityAccess.isEntity(document, of: request.database) {
            let address = request.address("entity", ["id": id])
            blocks.append(
                .links([PageLink(text: "As an entity, and who refers to it", address: address)]))
        }
        let alone = request.address("document.json", ["id": id])
        let tree = ValueTree(membersOf: document.json, wholeAddress: alone)
        blocks += [.heading("Members"), .tree(tree)]
        if !tree.isWhole {
            blocks.append(
                .text("The tree goes no further: the document has more members than it shows."))
        }
        let json = JSONValue.object(document.json.merging(["id": .string(id)]) { $1 })
        blocks.append(.heading("JSON"))
        if let text = JSONLayout.indented(json, bytesMax: textMax) {
            blocks.append(.code(text, label: "The document as JSON"))
        } else {
            blocks.append(.text("More than \(Amounts.bytes(textMax)), which stand alone."))
        }
        blocks.append(.links([PageLink(text: "JSON alone", address: alone)]))
        blocks += attachments(document, request)
        if !document.metaData.isDeleted {
            blocks += [.heading("Rows in indexes"), .table(try await rows(of: document, request))]
        }
        return PageContent(title: VisibleText.beginning(of: id), blocks: blocks)
    }

    private static func facts(
        _ document: Document, _ change: DocumentChange, _ place: MemberPlace,
        _ request: PageRequest
    ) -> [Fact] {
        let data = document.metaData
        var facts = [
            Fact(label: "Identifier", value: VisibleText.of(document.id)),
            Fact(label: "Revision", value: data.revision ?? ""),
            Fact(label: "Sequence", value: "\(change.sequence)"),
            Fact(label: "Created", value: data.createDate.map(Amounts.date) ?? ""),
            Fact(label: "Last change", value: data.lastChange.map(Amounts.date) ?? ""),
        ]
        if let type = place.type(of: document) {
            facts.append(
                Fact(
                    label: "Type", value: VisibleText.of(type),
                    link: request.address(ofType: type)))
        }
        let channels = place.channels(of: document)
        if !channels.isEmpty {
            facts.append(
                Fact(label: "Channels", value: VisibleText.of(channels.joined(separator: ", "))))
        }
        if let date = data.expirationDate {
            facts.append(Fact(label: "Expires", value: Amounts.date(date)))
        }
        if let origin = change.origin {
            facts.append(Fact(label: "Came from", value: VisibleText.of(origin)))
        }
        return facts
    }

    private static func actions(_ document: Document, _ request: PageRequest) -> [Block] {
        let hidden = [("id", document.id), ("revision", document.metaData.revision ?? "")]
        if document.metaData.isDeleted {
            return [
                .form(
                    .button(
                        "Purge", request.address("document/purge"), hidden, isDanger: true,
                        about: document.id))
            ]
        }
        return [
            .links([
                PageLink(text: "Edit", address: request.address("edit", ["id": document.id])),
                PageLink(
                    text: "Attach a file", address: request.address("attach", ["id": document.id])),
                PageLink(
                    text: "Set when it expires",
                    address: request.address("expiry", ["id": document.id])),
            ]),
            .form(
                .button(
                    "Delete", request.address("document/delete"), hidden, isDanger: true,
                    about: document.id)),
            .form(
                .button(
                    "Purge", request.address("document/purge"), hidden, isDanger: true,
                    about: document.id)),
        ]
    }

    // MARK: Attachments

    /// The kinds of content that a browser draws without running anything in it.
    static let pictureTypes: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]
    /// The largest picture that is shown in the page.
    private static let pictureMax = 4 << 20

    private static func attachments(_ document: Document, _ request: PageRequest) -> [Block] {
        guard !document.attachments.isEmpty else { return [] }
        var table = Table(
            caption: "Attachments",
            columns: ["Name", "Type", "Length", "Digest", "Here"]
                + (request.isWritable ? ["Replace", "Remove"] : []))
        var pictures: [Block] = []
        for attachment in document.attachments {
            let isHere = (try? attachment.isContentAvailable) ?? false
            let address = request.address(
                "attachment", ["id": document.id, "name": attachment.name])
            var cells: [Cell] = [
                .name(attachment.name, link: isHere ? address : nil),
                .stored(attachment.contentType), .amount(Amounts.bytes(attachment.length)),
                .stored(attachment.digest), .text(isHere ? "yes" : "no"),
            ]
            if request.isWritable {
                cells += [("Replace", "attach"), ("Remove", "detach")].map { text, page in
                    .stored(
                        text,
                        link: request.address(
                            page, ["id": document.id, "name": attachment.name]))
                }
            }
            table.rows.append(Table.Row(cells))
            if isHere, pictureTypes.contains(attachment.contentType),
                attachment.length <= pictureMax
            {
                pictures.append(
                    .picture(address: address, name: VisibleText.beginning(of: attachment.name)))
            }
        }
        return [.heading("Attachments"), .table(table)] + pictures
    }

    // MARK: Rows in indexes

    /// How long indexes are asked for the rows of a document.
    private static let rowsMax = Duration.milliseconds(60)

    private static func rows(of document: Document, _ request: PageRequest) async throws -> Table {
        var table = Table(
            caption: "Rows that the document has in declared indexes, as far as those have come",
            columns: ["Index", "Key", "Value"], emptiness: "None.")
        let begun = ContinuousClock.now
        for index in try request.database.storedIndexes() {
            guard ContinuousClock.now - begun < rowsMax else {
                table.caption += "; there are more indexes than were asked"
                break
            }
            guard let key = try index.key(of: document) else { continue }
            var query = QueryByKeyRange()
            (query.startKeyJSON, query.endKeyJSON) = (key, key)
            (query.startDocumentId, query.endDocumentId) = (document.id, document.id)
            (query.reduce, query.freshness, query.rowLimit) = (false, .stale, 10)
            let result = try? await request.database.runQuery(on: index.name, with: query)
            for row in result?.rows ?? [] {
                table.add(
                    .name(
                        index.name,
                        link: request.address(
                            "index", ["name": index.name, "from": row.keyJSON.jsonText])),
                    .stored(row.keyJSON.jsonText), .stored(row.valueJSON.jsonText))
            }
        }
        return table
    }
}
