import ArgumentParser
import Foundation
import Settle
import SettleOutbox

/// `settle outbox tags`: what is remembered of something on the service.
struct ListTagsCommand: SettleSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "List the tags of a key: ETags, change tokens, counters.",
        discussion: """
            A key is what the application chose: a cloud address, the identifier of a document, \
            the name of a zone. Of a tag that is bytes the number of them is shown; with --json \
            they are base64. Keys cannot be listed.

            Examples:
              settle outbox tags ./shop /contacts/7
              settle outbox tags ./shop /contacts/7 --json
            """)

    @OptionGroup var database: DatabaseArgument

    @Argument(help: ArgumentHelp("What the tags belong to.", valueName: "key"))
    var key: String

    @Flag(help: "Print a JSON object a tag, with \"identifier\", \"kind\", and \"value\".")
    var json = false

    @OptionGroup var screenOptions: ScreenOptions

    func perform() async throws {
        let tags = try await database.path.withDatabase(isReadOnly: true) { database in
            try database.read(named: "settle outbox") { snapshot in
                var tags: [(String, CloudTag)] = []
                try OutboxSnapshot(in: snapshot).forEachTag(of: key) { identifier, tag in
                    tags.append((identifier, tag))
                    return true
                }
                return tags
            }
        }
        let listing = TagListing(tags)
        let output = Output()
        let lines = json ? listing.json : listing.lines(on: screenOptions.screen)
        for line in lines { try output.line(line) }
        try output.flush()
    }
}
