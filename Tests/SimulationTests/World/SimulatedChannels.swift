import Settle

/// The channels that documents and devices of a simulation have.
enum SimulatedChannels {
    static let all = ["x", "y", "it's"]

    /// Some of them, by the bits of a random number.
    static func some(_ draw: UInt64) -> JSONValue {
        .array(names(draw).map { .string($0) })
    }

    /// The names of some of them.
    static func names(_ draw: UInt64) -> [String] {
        all.enumerated().filter { draw >> UInt64($0.offset) & 1 == 1 }.map(\.element)
    }

    /// Whether a document is for a device with these channels; one without gets everything.
    static func contain(_ members: [String: JSONValue], _ channels: [String]) -> Bool {
        if channels.isEmpty { return true }
        let own = members["channels"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return !Set(channels).isDisjoint(with: own)
    }
}
