import SettlePrimitives

/// When an entry was made, and where: a reading of a hybrid logical clock.
///
/// Later stamps are greater. Of two with the same moment the one with the greater counter is later: it was made by
/// a device that had seen the other. Of two with the same counter, too, nobody had seen the other's, and the
/// devices' identifiers decide by their bytes, so that all devices decide alike.
struct Stamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970, by the wall clock of the device or of one that it heard from.
    var moment: Int64
    /// Counts the entries that had to come after another of the same moment; one of ``counters``.
    var counter: Int64
    /// The device that made the entry; empty where that is not known.
    var device: String

    /// What a counter may be: a whole number that every system keeps as it is.
    static let counters: ClosedRange<Int64> = 0...(1 << 53 - 1)

    init(moment: Int64, counter: Int64 = 0, device: String) {
        self.moment = moment
        self.counter = counter
        self.device = device
    }

    static func == (left: Stamp, right: Stamp) -> Bool {
        left.moment == right.moment && left.counter == right.counter
            && left.device.hasSameBytes(as: right.device)
    }

    static func < (left: Stamp, right: Stamp) -> Bool {
        if left.moment != right.moment { return left.moment < right.moment }
        if left.counter != right.counter { return left.counter < right.counter }
        return left.device.utf8.lexicographicallyPrecedes(right.device.utf8)
    }

    /// The stamp of something that is done now by a device that has seen another stamp.
    ///
    /// It is greater than the one seen, whatever the clock says; but for the end of the year 9999, where nothing can be
    /// later.
    ///
    /// > Source: Kulkarni, Demirbas and others, "Logical Physical Clocks" (2014).
    ///
    /// - Parameters:
    ///   - now: What the wall clock says, in microseconds since 1970.
    ///   - seen: The greatest stamp of what is to be changed; nil for none.
    ///   - device: The device.
    /// - Returns: The wall clock's time when that is later than what was seen; otherwise the moment that was seen,
    ///   with the next counter.
    static func next(at now: Int64, after seen: Stamp?, by device: String) -> Stamp {
        guard let seen, now <= seen.moment else { return Stamp(moment: now, device: device) }
        if seen.counter < counters.upperBound {
            return Stamp(moment: seen.moment, counter: seen.counter + 1, device: device)
        }
        // So many entries of one moment are none that a device has made.
        let isLast = seen.moment >= Moment.latest
        return Stamp(
            moment: isLast ? seen.moment : seen.moment + 1, counter: isLast ? seen.counter : 0,
            device: device)
    }
}
