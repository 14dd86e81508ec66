import Testing

@testable import SettleEntities

@Suite struct `The clock` {
    @Test func `takes the wall clock's time while that goes on`() {
        let seen = Stamp(moment: 10, counter: 3, device: "b")
        #expect(Stamp.next(at: 11, after: seen, by: "a") == Stamp(moment: 11, device: "a"))
        #expect(Stamp.next(at: 5, after: nil, by: "a") == Stamp(moment: 5, device: "a"))
    }

    @Test func `is never behind what was seen, however wrong a wall clock is`() {
        var seen = Stamp(moment: 1_000_000, counter: 0, device: "ahead")
        for now in [10, 1_000_000, 999_999] as [Int64] {
            for device in ["a", "z"] {
                let next = Stamp.next(at: now, after: seen, by: device)
                #expect(next > seen)
                #expect(next.moment == 1_000_000)
                seen = next
            }
        }
        #expect(seen.counter == 6)
    }

    @Test func `orders by moment, counter and the bytes of the device`() {
        let ordered = [
            Stamp(moment: 1, counter: 9, device: "z"), Stamp(moment: 2, device: ""),
            Stamp(moment: 2, device: "Z"), Stamp(moment: 2, device: "a"),
            Stamp(moment: 2, counter: 1, device: "A"),
        ]
        for (left, right) in zip(ordered, ordered.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
    }
}
