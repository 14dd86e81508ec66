/// The passes by which an index catches up with the changes that it lacks.
///
/// Rows are whole only when all changes of a snapshot are in. A pass takes as many as its limit
/// lets it, and writers add others meanwhile. As long as the index gains on them, the memory of a
/// pass stays what it was; when it does not, more and more is taken at once, and in the end
/// whatever there is, so that there is an end.
struct CatchUpPasses: Sendable {
    /// How many passes there were.
    private(set) var count = 0
    /// During how many of them writers added more than half of what was taken in.
    private(set) var lostCount = 0
    private var latest: UInt64?
    private var takenCount: UInt64 = 0

    /// Counts a pass.
    mutating func end(with changes: MappedChanges) {
        end(base: changes.base, reached: changes.reached, latest: changes.latest)
    }

    /// Counts a pass that began at a sequence and reached another, with the last one that there was.
    mutating func end(base: UInt64, reached: UInt64, latest: UInt64) {
        count += 1
        if let before = self.latest, latest &- before > takenCount / 2 { lostCount += 1 }
        self.latest = latest
        takenCount = reached &- base
    }
}

extension IndexPace {
    /// After how many lost passes nothing is limited any more.
    private static let lostCountMax = 8

    /// How many changes are mapped in one snapshot after some passes.
    func limit(
        of passes: CatchUpPasses, isCancelled: @escaping @Sendable () -> Bool
    ) -> MapLimit {
        let growth = 1 << min(20, passes.count)
        let isLost = passes.lostCount > Self.lostCountMax
        return MapLimit(
            countMax: isLost ? .max : changeCountMax * growth,
            byteCountMax: isLost ? .max : changeByteCountMax << passes.lostCount,
            duration: isLost
                ? nil : min(snapshotDuration * growth, max(snapshotDuration, .seconds(5))),
            isCancelled: isCancelled)
    }
}
