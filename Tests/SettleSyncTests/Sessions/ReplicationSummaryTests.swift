import SettleSync
import Testing

@Suite struct `A summary of a replication` {
    @Test func `says what is not 0, one thing in the singular`() {
        var summary = ReplicationSummary()
        #expect("\(summary)" == "nothing to do")
        (summary.pushed, summary.conflictsResolved, summary.conflicts) = (3, 1, 2)
        summary.attachmentsDownloaded = 1
        #expect(
            "\(summary)"
                == "3 pushed, 1 conflict resolved, 2 conflicts left, 1 attachment downloaded")
    }

    @Test func `is added to another, number by number`() {
        let counts: [WritableKeyPath<ReplicationSummary, Int>] = [
            \.pushed, \.pulled, \.received, \.conflictsResolved, \.conflicts, \.rejected,
            \.withheld,
            \.attachmentsDownloaded, \.skipped,
        ]
        // A number that a later release adds is added, too.
        #expect(Mirror(reflecting: ReplicationSummary()).children.count == counts.count)
        var (left, right) = (ReplicationSummary(), ReplicationSummary())
        for (place, count) in counts.enumerated() {
            left[keyPath: count] = 1 << place
            right[keyPath: count] = 1_000
        }
        let sum = left + right
        for (place, count) in counts.enumerated() {
            #expect(sum[keyPath: count] == (1 << place) + 1_000)
        }
    }
}
