package import Settle

/// The channels that an item has left, and when it left each.
///
/// Times are `updatedAt` of the writes, in microseconds since 1970. A channel that the item has
/// come back to is not among them. At every time among them the timeline has a mark (see
/// ``TableTimeline``), so that a pull from an earlier time comes past it.
package struct ChannelRemovals: Sendable, Equatable {
    package private(set) var times: [String: Int64] = [:]

    /// How many are kept; of more, those left longest ago are forgotten.
    static let countMax = 1000

    /// What a stored envelope says; nil when it is damaged.
    package init?(_ json: JSONValue?) {
        guard let json else { return }
        guard let members = json.objectValue else { return nil }
        for (channel, time) in members {
            guard let time = time.integerValue else { return nil }
            times[channel] = time
        }
    }

    package init() {}

    /// What is stored; nil when there are none.
    package var json: JSONValue? {
        times.isEmpty ? nil : .object(times.mapValues { .integer($0) })
    }

    /// Notes a write.
    ///
    /// - Parameters:
    ///   - before: The channels of the item until then.
    ///   - after: Its channels from then on.
    ///   - time: `updatedAt` of the write.
    mutating func note(from before: Set<String>, to after: Set<String>, at time: Int64) {
        if before.isEmpty, times.isEmpty { return }
        for channel in before.subtracting(after) { times[channel] = time }
        for channel in after { times[channel] = nil }
        guard times.count > Self.countMax else { return }
        let oldest = times.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        for (channel, _) in oldest.prefix(times.count - Self.countMax) { times[channel] = nil }
    }

    /// The channels that were left at a time or later; none when no channel was left just then.
    func channels(leftFrom time: Int64) -> Set<String> {
        guard times.values.contains(time) else { return [] }
        return Set(times.filter { $0.value >= time }.keys)
    }
}
