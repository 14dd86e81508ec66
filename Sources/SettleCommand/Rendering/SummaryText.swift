import Settle
import SettleSync

/// What a replication did, in numbers.
enum SummaryText {
    /// The numbers in a sentence; those that are rarely above 0 are left out when they are 0.
    static func sentence(_ summary: ReplicationSummary, elapsed: Duration?) -> String {
        var parts = [
            "\(Quantity.number(summary.pushed)) sent",
            "\(Quantity.number(summary.pulled)) received",
        ]
        let rare: [(Int, String)] = [
            (summary.conflictsResolved, Self.conflicts(summary.conflictsResolved) + " resolved"),
            (summary.conflicts, Self.conflicts(summary.conflicts) + " left"),
            (summary.rejected, "\(Quantity.number(summary.rejected)) refused"),
            (summary.withheld, "\(Quantity.number(summary.withheld)) withheld"),
            (
                summary.attachmentsDownloaded,
                Quantity.count(summary.attachmentsDownloaded, "attachment") + " fetched"
            ),
            (
                summary.skipped,
                Quantity.number(summary.skipped)
                    + " set aside, which cannot be documents here"
            ),
        ]
        parts += rare.filter { $0.0 > 0 }.map(\.1)
        let time = elapsed.map { " in \(Quantity.time($0))" } ?? ""
        return parts.joined(separator: ", ") + time + "."
    }

    private static func conflicts(_ count: Int) -> String { Quantity.count(count, "conflict") }

    /// All the numbers as a JSON object, of several tables with the one they are of.
    static func json(_ summary: ReplicationSummary, of table: String? = nil) -> String {
        let members: [(String, Int)] = [
            ("pushed", summary.pushed), ("pulled", summary.pulled),
            ("received", summary.received), ("conflictsResolved", summary.conflictsResolved),
            ("conflicts", summary.conflicts), ("rejected", summary.rejected),
            ("withheld", summary.withheld), ("skipped", summary.skipped),
            ("attachmentsDownloaded", summary.attachmentsDownloaded),
        ]
        var object = members.reduce(into: [:]) { object, member in
            object[member.0] = JSONValue.integer(Int64(member.1))
        }
        if let table { object["table"] = .string(table) }
        return JSONRendering.compact(.object(object))
    }
}
