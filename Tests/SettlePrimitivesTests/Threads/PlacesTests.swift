import SettlePrimitives
import TestSupport
import Testing

@Suite struct `Places that are limited` {
    @Test func `are as many as a count of those that are held says`() {
        var random = SeededGenerator(seed: 5)
        let places = Places<Int>(countMax: 6)
        var held: [(holder: Int, place: Place<Int>)] = []
        var problems: Set<String> = []
        for _ in 0..<5_000 {
            let holder = Int.random(in: 0..<4, using: &random)
            if Bool.random(using: &random), !held.isEmpty {
                held.remove(at: Int.random(in: 0..<held.count, using: &random))
                continue
            }
            let own = held.count { $0.holder == holder }
            do throws(Places<Int>.Problem) {
                held.append((holder, try places.take(holder, atMost: 3)))
                #expect(own < 3 && held.count <= 6)
            } catch {
                #expect(error == (own >= 3 ? .ownTaken : .allTaken))
                #expect(own >= 3 || held.count == 6)
                problems.insert("\(error)")
            }
        }
        #expect(problems.count == 2)
    }
}
