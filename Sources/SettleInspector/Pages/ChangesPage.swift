import Foundation
import Settle

/// The feed of changes: what there is, and what comes.
enum ChangesPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        let last = try request.database.lastSequence
        let since = request.values.integer("since").map { UInt64(clamping: $0) } ?? last
        let (type, channel) = (request.values.filled("type"), request.values.filled("channel"))
        let form = Form(
            action: request.address("changes"), isChange: false,
            fields: [
                Field(
                    name: "since", label: "After sequence", value: "\(since)",
                    hint: "0 for the beginning; the last one is \(last).", isSearch: true),
                Field(name: "type", label: "Type", value: type ?? ""),
                Field(name: "channel", label: "Channel", value: channel ?? ""),
            ], button: "Show")
        let live = LiveList(
            events: request.address(
                "events", ["since": "\(since)", "type": type, "channel": channel]),
            label: "Changes, the newest first", documents: request.address("document", ["id": ""]))
        return PageContent(
            title: "Changes",
            blocks: [
                .form(form),
                .text(
                    "A document stands in the feed once, at its last change. Changes of other processes are in it, too."
                ),
                .live(live),
            ])
    }
}
