import Settle
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Three-way merge` {
    /// Absent, or one of two values.
    private static let values: [JSONValue?] = [nil, 1, 2]

    @Test(arguments: [ThreeWayMerge.Preference.local, .server])
    func `takes each member from the side that changed it, for every combination`(
        preference: ThreeWayMerge.Preference
    ) {
        for base in Self.values {
            for local in Self.values {
                for server in Self.values {
                    func members(_ value: JSONValue?) -> [String: JSONValue] {
                        value.map { ["a": $0, "same": true] } ?? ["same": true]
                    }
                    let merged = ThreeWayMerge.members(
                        base: members(base), local: members(local), server: members(server),
                        preferring: preference)
                    let expected: JSONValue?
                    switch (local == base, server == base) {
                    case (true, _): expected = server
                    case (false, true): expected = local
                    case (false, false): expected = preference == .local ? local : server
                    }
                    #expect(merged["a"] == expected, "\(base as Any) \(local as Any)")
                    #expect(merged["same"] == true)
                }
            }
        }
    }

    @Test func `keeps what both sides added when they have no common document`() {
        let merged = ThreeWayMerge.members(
            base: [:], local: ["a": 1, "c": 3], server: ["b": 2, "c": 4], preferring: .server)
        #expect(merged == ["a": 1, "b": 2, "c": 4])
    }
}
