import Foundation
import Settle
import SettleSync

/// A conflict with a remote, member by member: what both had, what is here, what is there.
enum ConflictPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        let conflict = try conflict(request)
        var blocks: [Block] = [.facts(facts(conflict, request)), .table(table(conflict, nil))]
        blocks += attachments(conflict, nil)
        if request.isWritable {
            let fields = fields(conflict)
            let address = request.address("conflict/resolve")
            blocks += [("mine", "Use mine"), ("theirs", "Use theirs")].map { use, text in
                .form(
                    .button(text, address, fields + [("use", use)], about: conflict.documentId))
            }
            blocks.append(
                .links([
                    PageLink(
                        text: "Merge by hand",
                        address: request.address(
                            "conflict/merge",
                            ["remote": conflict.remote, "id": conflict.documentId]))
                ]))
        }
        return PageContent(title: title(conflict), blocks: blocks)
    }

    /// The form in which a merged version is written, with what a merge of the members gives.
    static func merge(_ request: PageRequest) throws -> PageContent {
        guard request.isWritable else { throw PageProblem.readOnly }
        let conflict = try conflict(request)
        let merged = ThreeWayMerge.members(
            base: conflict.base?.json ?? [:], local: conflict.local?.json ?? [:],
            server: conflict.server?.json ?? [:], preferring: .local)
        return PageContent(
            title: title(conflict),
            blocks: [
                .table(table(conflict, nil)),
                .text(
                    "Below is each member as the side that changed it has it; mine, where both did. Change it as you like."
                ),
                .form(
                    SideBySide.form(merged, request.address("conflict/review"), fields(conflict))),
            ])
    }

    /// What a merged version is beside the others, with the button that saves it.
    static func review(_ request: PageRequest) throws -> PageContent {
        let conflict = try conflict(request)
        let members = try SideBySide.members(request, of: conflict.documentId)
        var blocks: [Block] = []
        if request.values["shown"] != fingerprint(conflict) {
            blocks.append(
                .warning("A side was changed meanwhile. Saving is refused; merge it again."))
        }
        let hidden = [
            ("remote", conflict.remote), ("id", conflict.documentId),
            ("shown", request.values["shown"] ?? ""), ("use", "merged"),
            ("text", JSONValue.object(members).jsonText),
        ]
        return PageContent(
            title: title(conflict),
            blocks: blocks + [.table(table(conflict, members))]
                + attachments(conflict, merged(conflict, members).attachments) + [
                    .form(
                        Form(
                            action: request.address("conflict/resolve"), hidden: hidden,
                            button: "Save the merged version"))
                ])
    }

    private static func title(_ conflict: ReplicationConflict) -> String {
        "Conflict about \(VisibleText.beginning(of: conflict.documentId))"
    }

    private static func facts(
        _ conflict: ReplicationConflict, _ request: PageRequest
    ) -> [Fact] {
        [
            Fact(
                label: "Document", value: VisibleText.of(conflict.documentId),
                link: request.address(ofDocument: conflict.documentId)),
            Fact(label: "Remote", value: VisibleText.of(conflict.remote)),
            Fact(
                label: "Base",
                value: conflict.base == nil ? "none: both sides made it" : "what both had"),
            Fact(label: "Mine", value: state(conflict.local, conflict.localChange)),
            Fact(label: "Theirs", value: state(conflict.server, conflict.serverChange)),
        ]
    }

    private static func table(
        _ conflict: ReplicationConflict, _ merged: [String: JSONValue]?
    ) -> Table {
        var versions = [
            SideBySide.Version(title: "Base", members: conflict.base?.json ?? [:]),
            SideBySide.Version(title: "Mine", members: conflict.local?.json ?? [:]),
            SideBySide.Version(title: "Theirs", members: conflict.server?.json ?? [:]),
        ]
        if let merged { versions.append(SideBySide.Version(title: "Merged", members: merged)) }
        return SideBySide.table(versions, comparing: merged == nil ? 2 : 3)
    }

    private static func attachments(
        _ conflict: ReplicationConflict, _ merged: [DocumentAttachment]?
    ) -> [Block] {
        var versions = [
            (title: "Base", attachments: conflict.base?.attachments ?? []),
            (title: "Mine", attachments: conflict.local?.attachments ?? []),
            (title: "Theirs", attachments: conflict.server?.attachments ?? []),
        ]
        if let merged { versions.append((title: "Merged", attachments: merged)) }
        return SideBySide.attachments(versions, comparing: merged == nil ? 2 : 3)
    }

    private static func fields(_ conflict: ReplicationConflict) -> [(name: String, value: String)] {
        [
            ("remote", conflict.remote), ("id", conflict.documentId),
            ("shown", fingerprint(conflict)),
        ]
    }

    private static func state(_ document: Document?, _ change: Date?) -> String {
        (document == nil ? "deleted, or not there" : "changed")
            + (change.map { " \(Amounts.date($0))" } ?? "")
    }

    private static func conflict(_ request: PageRequest) throws -> ReplicationConflict {
        guard
            let conflict = try request.database.replicationConflict(
                of: try request.required("id"), with: try request.required("remote"))
        else { throw PageProblem.missing("There is no such conflict; it may be resolved by now.") }
        return conflict
    }

    /// What tells one state of a conflict from another.
    private static func fingerprint(_ conflict: ReplicationConflict) -> String {
        [conflict.local, conflict.server].map { document in
            document.map { ContentFingerprint.of(JSONValue.object($0.json).jsonText) } ?? "-"
        }.joined(separator: ".")
    }

    /// Resolves the conflict of the form, for one side or by a merged version.
    ///
    /// A merged version keeps the attachments of this side, or of the other where this side has none of that name.
    ///
    /// - Throws: ``PageProblem`` 409 when either side is another than the page showed.
    static func resolve(_ request: PageRequest) async throws {
        let conflict = try conflict(request)
        guard request.values["shown"] == fingerprint(conflict) else {
            throw PageProblem.changed(conflict.documentId)
        }
        let resolution: ConflictResolution =
            switch request.values["use"] {
            case "mine": .useLocal
            case "theirs": .useServer
            case "merged":
                .use(merged(conflict, try SideBySide.members(request, of: conflict.documentId)))
            default:
                throw PageProblem.unusable(
                    "A conflict is resolved by 'mine', by 'theirs' or by what is 'merged'.")
            }
        guard try await request.database.resolve(conflict, with: resolution) else {
            throw PageProblem.changed(conflict.documentId)
        }
    }

    private static func merged(
        _ conflict: ReplicationConflict, _ members: [String: JSONValue]
    ) -> Document {
        var document = Document(id: conflict.documentId)
        for (name, value) in members { document[json: name] = value }
        document.attachments = SideBySide.union([
            conflict.local?.attachments ?? [], conflict.server?.attachments ?? [],
        ])
        return document
    }
}
