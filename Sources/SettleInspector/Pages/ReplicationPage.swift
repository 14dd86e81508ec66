import Foundation
import Settle
import SettleSync

/// The remotes of a database, what waits for each, and what was set aside.
enum ReplicationPage {
    /// How many items that were set aside are shown.
    private static let setAsideMax = 100

    static func content(_ request: PageRequest) throws -> PageContent {
        let remotes = try request.database.replicationRemotes()
        let last = try request.database.lastSequence
        var table = Table(
            caption: "Remotes", columns: ["Remote", "Scope", "Changes up to", "Attachments"],
            emptiness: "The database never replicated.")
        for remote in remotes {
            table.add(
                .name(
                    remote.identifier,
                    link: request.address("replication", ["remote": remote.identifier])),
                .stored("\(remote.scope)"),
                .amount("\(remote.sequence) of \(last)"),
                .text(remote.carriesAttachments ? "travel" : "do not travel"))
        }
        var blocks: [Block] = [.table(table)]
        let running = request.database.replications
        if !running.isEmpty {
            blocks.append(
                .text("\(Amounts.count(running.count, "replication")) of this process runs or run.")
            )
        }
        let chosen = request.values.filled("remote") ?? remotes.first?.identifier
        if let remote = remotes.first(where: { $0.identifier == chosen }) {
            blocks += try details(of: remote, request)
        }
        return PageContent(title: "Replication", blocks: blocks)
    }

    private static func details(
        of remote: ReplicationRemote, _ request: PageRequest
    ) throws -> [Block] {
        var checkpoints = Table(
            caption: "Where its pulls go on", columns: ["Query", "Token", "Listed"],
            emptiness: "Nothing was pulled.")
        for checkpoint in remote.checkpoints {
            checkpoints.add(
                .name(checkpoint.query), .stored(checkpoint.token ?? "the beginning"),
                .text(checkpoint.listed.map(Amounts.date) ?? "never"))
        }
        return [
            .heading(VisibleText.beginning(of: remote.identifier)), .table(checkpoints),
            .heading("What waits"), .table(try pending(remote, request)),
            .heading("What was set aside"), .table(try setAside(remote, request)),
        ]
    }

    private static func pending(_ remote: ReplicationRemote, _ request: PageRequest) throws -> Table
    {
        let page = try request.database.pendingOperations(
            with: remote.identifier, after: request.values.filled("after"),
            limit: PageRequest.pageSize)
        var table = Table(
            caption: "Changes that the remote has not, by document",
            columns: ["Document", "Operation", "State", "Status", "Reason"],
            emptiness: "Nothing waits.")
        for operation in page.operations {
            var (state, reason) = ("waits", "")
            switch operation.state {
            case .waiting: break
            case .sent: state = "sent, not acknowledged"
            case .withheld: state = "withheld by the filter"
            case .conflict: state = "conflict"
            case .rejected(let text): (state, reason) = ("rejected", text)
            }
            let isConflict = operation.state == .conflict
            table.add(
                .name(
                    operation.documentId,
                    link: isConflict
                        ? request.address(
                            "conflict",
                            ["remote": remote.identifier, "id": operation.documentId])
                        : request.address(ofDocument: operation.documentId)),
                .text(operation.kind.rawValue), .text(state),
                .text(operation.statusCode.map { "\($0)" } ?? ""), .stored(reason))
        }
        table.next = page.next.map {
            request.address("replication", ["remote": remote.identifier, "after": $0])
        }
        return table
    }

    private static func setAside(
        _ remote: ReplicationRemote, _ request: PageRequest
    ) throws -> Table {
        let items = try request.database.setAsideItems(with: remote.identifier)
        var table = Table(
            caption: items.count > setAsideMax
                ? "Items that cannot be documents here, \(setAsideMax) of \(Amounts.count(items.count))"
                : "Items that cannot be documents here",
            columns: ["Item", "Member", "Reason", "Since"], emptiness: "Nothing.")
        for item in items.prefix(setAsideMax) {
            table.add(
                .name(item.id ?? item.place ?? ""), .stored(item.member ?? ""),
                .stored(item.reason), .text(Amounts.date(item.since)))
        }
        return table
    }
}

/// A conflict, member by member: what both had, what is here, what is there.
enum ConflictPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        let conflict = try conflict(request)
        let (base, mine, theirs) = (
            conflict.base?.json ?? [:], conflict.local?.json ?? [:], conflict.server?.json ?? [:]
        )
        var table = Table(
            caption: "The document by member", columns: ["Member", "Base", "Mine", "Theirs", ""],
            emptiness: "Neither side has members.")
        let names = Set(base.keys).union(mine.keys).union(theirs.keys)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            let isSame = mine[name] == theirs[name]
            table.add(
                .name(name), .stored(shown(base[name])), .stored(shown(mine[name])),
                .stored(shown(theirs[name])), .text(isSame ? "" : "differs"))
        }
        var blocks: [Block] = [
            .facts([
                Fact(
                    label: "Document", value: VisibleText.of(conflict.documentId),
                    link: request.address(ofDocument: conflict.documentId)),
                Fact(label: "Remote", value: VisibleText.of(conflict.remote)),
                Fact(
                    label: "Mine",
                    value: state(conflict.local, conflict.localChange)),
                Fact(
                    label: "Theirs",
                    value: state(conflict.server, conflict.serverChange)),
            ]), .table(table),
        ]
        if request.isWritable {
            let hidden = [
                ("remote", conflict.remote), ("id", conflict.documentId),
                ("shown", fingerprint(conflict)),
            ]
            let address = request.address("conflict/resolve")
            blocks += ["mine": "Use mine", "theirs": "Use theirs"].sorted { $0.key < $1.key }.map {
                .form(
                    .button(
                        $0.value, address, hidden + [("use", $0.key)], about: conflict.documentId))
            }
        }
        return PageContent(
            title: "Conflict about \(VisibleText.beginning(of: conflict.documentId))",
            blocks: blocks)
    }

    private static func shown(_ value: JSONValue?) -> String { value?.jsonText ?? "—" }

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

    /// Resolves the conflict of the form, for one side.
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
            default: throw PageProblem.unusable("A conflict is resolved by 'mine' or by 'theirs'.")
            }
        guard try await request.database.resolve(conflict, with: resolution) else {
            throw PageProblem.changed(conflict.documentId)
        }
    }
}

/// Tells texts apart, without keeping them.
enum ContentFingerprint {
    /// The FNV-1a hash of a text, in 64 bits.
    static func of(_ text: String) -> String {
        let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}
