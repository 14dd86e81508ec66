import Foundation
import Settle
import SettleSync

/// The documents with several versions that no side chose between.
enum ConflictListPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        var found: [ConflictedDocument] = []
        try request.database.read(named: "inspector: conflicts") { snapshot in
            try snapshot.forEachConflict(after: request.values.filled("after")) {
                found.append($0)
                return found.count <= PageRequest.pageSize
            }
        }
        var table = Table(
            caption: "Documents with several versions", columns: ["Document", "Other versions"],
            emptiness: "None.")
        for document in found.prefix(PageRequest.pageSize) {
            table.add(
                .name(document.id, link: request.address("leaves", ["id": document.id])),
                .number(document.conflictCount))
        }
        if found.count > PageRequest.pageSize {
            table.next = request.address(
                "conflicts", ["after": found[PageRequest.pageSize - 1].id])
        }
        return PageContent(title: "Revisions in conflict", blocks: [.table(table)])
    }
}

/// The versions of one document that are in conflict, side by side.
enum LeavesPage {
    /// How many versions are shown beside each other.
    private static let versionMax = 5

    static func content(_ request: PageRequest) throws -> PageContent {
        let versions = try Versions(request)
        var blocks = sides(versions, nil, request)
        if request.isWritable {
            blocks += versions.live.prefix(versionMax).enumerated().map { index, version in
                let revision = version.leaf.revision
                return .form(
                    .button(
                        index == 0 ? "Keep mine" : "Keep \(VisibleText.beginning(of: revision))",
                        request.address("leaves/resolve"),
                        versions.fields + [("use", "leaf"), ("leaf", revision)],
                        about: versions.id))
            }
            blocks.append(
                .links([
                    PageLink(
                        text: "Merge by hand",
                        address: request.address("leaves/merge", ["id": versions.id]))
                ]))
        }
        return PageContent(title: title(versions), blocks: blocks)
    }

    /// The form in which a merged version is written, with the members of all versions.
    static func merge(_ request: PageRequest) throws -> PageContent {
        guard request.isWritable else { throw PageProblem.readOnly }
        let versions = try Versions(request)
        let merged = versions.live.reduce(into: [String: JSONValue]()) { merged, version in
            merged.merge(version.document.json) { first, _ in first }
        }
        return PageContent(
            title: title(versions),
            blocks: sides(versions, nil, request) + [
                .text(
                    "Below are the members of all versions; where several have one, that of the first. Change it as you like. Attachments are kept in the same way."
                ),
                .form(SideBySide.form(merged, request.address("leaves/review"), versions.fields)),
            ])
    }

    /// What a merged version is beside the others, with the button that saves it.
    static func review(_ request: PageRequest) throws -> PageContent {
        let versions = try Versions(request)
        let members = try SideBySide.members(request, of: versions.id)
        var blocks: [Block] = []
        if request.values["shown"] != versions.fingerprint {
            blocks.append(
                .warning("A version was changed meanwhile. Saving is refused; merge it again."))
        }
        let form = Form(
            action: request.address("leaves/resolve"),
            hidden: [
                ("id", versions.id), ("shown", request.values["shown"] ?? ""), ("use", "merged"),
                ("text", JSONValue.object(members).jsonText),
            ], button: "Save the merged version")
        return PageContent(
            title: title(versions),
            blocks: blocks + sides(versions, members, request) + [.form(form)])
    }

    /// Ends the conflict of the form: by one version, or by a merged one.
    ///
    /// A merged version keeps the attachments of all versions; of several with one name that of the first version.
    ///
    /// - Returns: The document.
    /// - Throws: ``PageProblem`` 409 when the versions are others than the page showed.
    static func resolve(_ request: PageRequest) async throws -> String {
        let (id, shown) = (try request.required("id"), request.values["shown"])
        let use = request.values["use"]
        let leaf = request.values["leaf"]
        let members = use == "merged" ? try SideBySide.members(request, of: id) : [:]
        try await request.database.write { transaction in
            let versions = try Versions(of: id, in: transaction)
            guard versions.fingerprint == shown else {
                throw PageProblem.changed(id)
            }
            var document: Document
            switch use {
            case "leaf":
                guard let version = versions.live.first(where: { $0.leaf.revision == leaf }) else {
                    throw PageProblem.changed(id)
                }
                document = version.document
            case "merged":
                document = Document(id: id)
                for (name, value) in members { document[json: name] = value }
                document.attachments = versions.attachments
            default:
                throw PageProblem.unusable(
                    "A conflict is ended by one version, or by what is 'merged'.")
            }
            _ = try transaction.resolveConflicts(of: id, with: document)
        }
        return id
    }

    // MARK: What is shown

    private static func title(_ versions: Versions) -> String {
        "Versions of \(VisibleText.beginning(of: versions.id))"
    }

    private static func sides(
        _ versions: Versions, _ merged: [String: JSONValue]?, _ request: PageRequest
    ) -> [Block] {
        var revisions = Table(
            caption: "The versions",
            columns: ["Revision", "Column", "Wins", "Came from", "Last change", "Attachments"])
        for (index, version) in versions.live.enumerated() {
            revisions.add(
                .name(version.leaf.revision),
                .text(index < versionMax ? columnTitle(index) : "not shown"),
                .text(version.leaf.revision == versions.winner ? "until it is resolved" : ""),
                .stored(version.leaf.origin ?? "this device"),
                .text(version.document.metaData.lastChange.map(Amounts.date) ?? ""),
                .number(version.document.attachments.count))
        }
        var attachments = versions.live.prefix(versionMax).enumerated().map { index, version in
            (title: columnTitle(index), attachments: version.document.attachments)
        }
        if merged != nil {
            attachments.append((title: "Merged", attachments: versions.attachments))
        }
        var columns = [SideBySide.Version(title: "Base", members: nil)]
        for (index, version) in versions.live.prefix(versionMax).enumerated() {
            columns.append(
                SideBySide.Version(title: columnTitle(index), members: version.document.json))
        }
        if let merged { columns.append(SideBySide.Version(title: "Merged", members: merged)) }
        let base =
            versions.base.map {
                "All of them come from the revision \(VisibleText.beginning(of: $0)). Of a revision that was replaced "
                    + "the name is kept, and not what was in it."
            } ?? "No revision is known that all of them come from."
        return [
            .facts([
                Fact(
                    label: "Document", value: VisibleText.of(versions.id),
                    link: request.address(ofDocument: versions.id)),
                Fact(label: "Base", value: versions.base.map { VisibleText.of($0) } ?? "none"),
            ]), .table(revisions), .text(base),
            .table(SideBySide.table(columns, comparing: columns.count - 1)),
        ] + SideBySide.attachments(attachments, comparing: attachments.count)
    }

    private static func columnTitle(_ index: Int) -> String {
        index == 0 ? "Mine" : index == 1 ? "Theirs" : "Theirs \(index)"
    }

    /// The leaves of a document that are no deletions.
    private struct Versions {
        let id: String
        /// Mine first.
        let live: [(leaf: RevisionLeaf, document: Document)]
        /// The revision of the one that counts as the document meanwhile.
        let winner: String?
        /// The last revision that all of them come from; nil when none is known.
        let base: String?
        /// What tells one state of the conflict from another.
        let fingerprint: String

        init(_ request: PageRequest) throws {
            let id = try request.required("id")
            self = try request.database.read(named: "inspector: versions") {
                try Versions(of: id, in: $0)
            }
        }

        init(of id: String, in snapshot: Snapshot) throws {
            self.id = id
            let leaves = try snapshot.leaves(of: id)
            winner = leaves.first?.revision
            var live = try leaves.filter { !$0.isDeleted }.compactMap { leaf in
                try snapshot.document(id, atRevision: leaf.revision).map { (leaf, $0) }
            }
            guard live.count > 1 else {
                throw PageProblem.missing(
                    "The document '\(VisibleText.beginning(of: id))' has no versions in conflict; they may be resolved by now."
                )
            }
            // Mine is the first that was made here; the one that wins, when none was.
            live.insert(live.remove(at: live.firstIndex { $0.0.origin == nil } ?? 0), at: 0)
            self.live = live.map { (leaf: $0.0, document: $0.1) }
            let paths = self.live.map { [$0.leaf.revision] + $0.leaf.ancestors }
            let others = paths.dropFirst().map { Set($0) }
            base = paths[0].first { revision in others.allSatisfy { $0.contains(revision) } }
            fingerprint = leaves.map { "\($0.revision)\($0.isDeleted ? "-" : "+")" }
                .joined(separator: " ")
        }

        /// The attachments that a merged version has.
        var attachments: [DocumentAttachment] {
            SideBySide.union(live.map(\.document.attachments))
        }

        var fields: [(name: String, value: String)] { [("id", id), ("shown", fingerprint)] }
    }
}
