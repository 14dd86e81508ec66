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
        let count = try request.database.read { try $0.conflictedDocumentCount }
        if count > 0 {
            blocks += [
                .heading("Revisions in conflict"),
                .text(
                    "\(Amounts.count(count, "document")) \(count == 1 ? "has" : "have") several versions that were made at "
                        + "different places, as CouchDB keeps them."),
                .links([
                    PageLink(text: "List them", address: request.address("conflicts"))
                ]),
            ]
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
