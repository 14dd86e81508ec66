import Foundation
import Settle

/// One index: its definition, state and failures, and its rows as a table and as a chart.
enum IndexPage {
    /// How many failures are shown.
    private static let failureMax = 50

    static func content(_ request: PageRequest) async throws -> PageContent {
        let name = try request.required("name")
        let statuses = try request.database.indexStatuses()
        let title = "Index \(VisibleText.beginning(of: name))"
        var blocks: [Block] = []
        if let failure = request.jobs.failure(of: IndexListPage.jobName(name, request.database)) {
            blocks.append(.warning("It could not be built: \(VisibleText.of(failure))"))
        }
        let status = statuses.first { $0.name == name }
        if let bar = IndexProgress.bar(of: name, status, request) { blocks.append(.progress(bar)) }
        guard let status else {
            // A build that was just asked for may have failed already, or not come to its first step.
            if !blocks.isEmpty { return PageContent(title: title, blocks: blocks) }
            throw PageProblem.missing("There is no index '\(VisibleText.beginning(of: name))'.")
        }
        blocks.append(.facts(try facts(status, request)))
        if request.isWritable {
            let hidden = [("name", name)]
            if status.isDefined {
                blocks.append(
                    .form(
                        .button(
                            "Bring up to date", request.address("index/build"), hidden,
                            about: name)))
            }
            blocks.append(
                .form(
                    .button(
                        "Remove", request.address("index/remove"), hidden, isDanger: true,
                        about: name)))
        }
        if let declaration = status.declaration {
            blocks.append(
                .code(JSONLayout.indented(declaration.json), label: "Definition of the index"))
        }
        if status.errorCount > 0 {
            blocks += [.heading("Failures"), .table(try failures(name, request))]
        }
        blocks.append(.heading("Rows"))
        if !status.isDefined {
            blocks.append(
                .text(
                    "This process does not have the definition of the index, which is code of an application, so it can "
                        + "be neither asked nor brought up to date here."))
        } else {
            blocks.append(.form(IndexRows.form(status, request)))
            blocks +=
                status.isBuilt
                ? try await IndexRows.blocks(status, request)
                : [.text("There are no rows yet.")]
        }
        return PageContent(title: title, blocks: blocks)
    }

    private static func facts(_ status: IndexStatus, _ request: PageRequest) throws -> [Fact] {
        var facts = [
            Fact(
                label: "State",
                value: IndexListPage.state(of: status, last: try request.database.lastSequence)),
            Fact(label: "Rows", value: Amounts.count(status.rowCount)),
            Fact(label: "Sequence", value: "\(status.sequence)"),
            Fact(label: "Version", value: VisibleText.beginning(of: status.version)),
            Fact(label: "Defined by", value: status.declaration == nil ? "code" : "a declaration"),
        ]
        if let reduce = status.reduce {
            facts.append(Fact(label: "Reduces by", value: VisibleText.beginning(of: reduce)))
        }
        let sizes = TableSizes(try request.database.statistics().tables, indexes: [status])
        if let size = sizes.indexes.first(where: { $0.name == status.name })?.sizeBytes, size > 0 {
            facts.append(Fact(label: "Size", value: Amounts.bytes(size)))
        }
        return facts
    }

    private static func failures(_ name: String, _ request: PageRequest) throws -> Table {
        var table = Table(
            caption: "Documents that could not be mapped, at most \(failureMax)",
            columns: ["Document", "Reason"])
        for failure in try request.database.indexErrors(of: name, limit: failureMax) {
            table.add(
                .name(failure.documentId, link: request.address(ofDocument: failure.documentId)),
                .stored(failure.reason))
        }
        return table
    }
}
