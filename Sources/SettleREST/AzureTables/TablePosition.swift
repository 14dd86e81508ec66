import SettleSync

/// Where a pull of a table stands: after the item with this time and identifier.
///
/// Shape of a token: `TIME|SKIP|ID`; TIME is the server's own text, SKIP is decimal.
struct TablePosition: Sendable, Hashable {
    /// The last item's `updatedAt`, exactly as it was received.
    var time: String
    var id: String
    /// How many items after the position were read without getting past it.
    ///
    /// A server that keeps more digits of a time than it shows gives the same items again and
    /// again.
    var skipCount = 0

    init(time: String, id: String) {
        self.time = time
        self.id = id
    }

    /// Reads a token; nil when it is none of ours.
    init?(_ token: PullToken) {
        let parts = token.text.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let skip = Int(parts[1]), skip >= 0, Self.isTime(parts[0]) else {
            return nil
        }
        time = String(parts[0])
        skipCount = skip
        id = String(parts[2])
    }

    var token: PullToken { PullToken("\(time)|\(skipCount)|\(id)") }

    /// The items after the position.
    ///
    /// Unlike a number of items to skip, this does not pass by a row when one before it changes
    /// meanwhile.
    var filter: ODataFilter {
        .or(
            .isAfterTime(column: SystemColumns.updatedAt, time),
            .and(
                .equalsTime(column: SystemColumns.updatedAt, time),
                .isAfterText(column: SystemColumns.id, id)))
    }

    /// Whether a text can stand in a filter as a time: it must not end the literal.
    static func isTime(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.unicodeScalars.allSatisfy {
                ("0"..."9").contains($0) || "TZtz:.+-".unicodeScalars.contains($0)
            }
    }
}
