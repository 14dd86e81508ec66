import Foundation
import SettleSync

/// Where a pull of a table stands: after the item with this time and identifier.
///
/// Shape of a token: `TIME|SKIP|ID|VERSION`; TIME is the server's own text, SKIP is decimal, ID and
/// VERSION are percent-encoded.
struct TablePosition: Sendable, Hashable {
    /// The last item's `updatedAt`, exactly as it was received.
    var time: String
    /// The last item's identifier.
    var id: String
    /// The last item's version; empty when it had none.
    var version: String
    /// How many items after the position were read without getting past it.
    ///
    /// A server that keeps more digits of a time than it shows gives the same items again and
    /// again.
    var skipCount = 0

    init(time: String, id: String, version: String) {
        self.time = time
        self.id = id
        self.version = version
    }

    /// Reads a token; nil when it is none of ours.
    init?(_ token: PullToken) {
        let parts = token.text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, let skip = Int(parts[1]), skip >= 0, Self.isTime(parts[0]),
            let id = parts[2].removingPercentEncoding,
            let version = parts[3].removingPercentEncoding
        else { return nil }
        self.init(time: String(parts[0]), id: id, version: version)
        skipCount = skip
    }

    var token: PullToken {
        let (id, version) = (PercentEncoding.pathSegment(id), PercentEncoding.pathSegment(version))
        return PullToken("\(time)|\(skipCount)|\(id)|\(version)")
    }

    /// The items after the position, within one pull.
    ///
    /// Unlike a number of items to skip, this does not pass by a row when one before it changes
    /// meanwhile.
    var filterWithinPull: ODataFilter {
        .or(
            .isAfterTime(column: SystemColumns.updatedAt, time),
            .and(
                .equalsTime(column: SystemColumns.updatedAt, time),
                .isAfterText(column: SystemColumns.id, id)))
    }

    /// The items with which a later pull goes on.
    ///
    /// They begin with those of the last time once more: a row may have been written after it was
    /// read, or beside it, and have got the same time.
    var filterOfNextPull: ODataFilter {
        .isSinceTime(column: SystemColumns.updatedAt, time)
    }

    /// Whether an item is the one the position stands after, unchanged.
    func isUnchanged(_ item: RemoteItem, time: String?) -> Bool {
        !version.isEmpty && item.id == id && item.version == version && time == self.time
    }

    /// Whether a text can stand in a filter as a time: it must not end the literal.
    static func isTime(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.unicodeScalars.allSatisfy {
                ("0"..."9").contains($0) || "TZtz:.+-".unicodeScalars.contains($0)
            }
    }
}
