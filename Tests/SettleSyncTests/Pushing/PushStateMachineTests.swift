import Testing
import TestSupport

@testable import SettleSync

@Suite(.serialized) struct `Push state machine` {
    /// Drives a machine with answers in a random order and checks every promise on the way.
    private func run(
        count: Int, sendingMax: Int, settlingMin: Int, abortsAfter: Int?, seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var machine = PushStateMachine(
            count: count, sendingMax: sendingMax, settlingMin: settlingMin)
        var inFlight: [Int] = []
        var settling: [Int]?
        var sent: Set<Int> = []
        var settled: Set<Int> = []
        var answerCount = 0
        var unknown: Set<Int> = []
        loop: while true {
            switch machine.nextAction() {
            case .send(let index):
                #expect(sent.insert(index).inserted, "Sent twice; \(random)")
                inFlight.append(index)
                #expect(inFlight.count <= sendingMax, "\(random)")
                if let abortsAfter { #expect(answerCount < abortsAfter, "\(random)") }
            case .settle(let indices):
                #expect(settling == nil, "One transaction at a time; \(random)")
                let isEnding = sent.count == count || abortsAfter.map { answerCount >= $0 } ?? false
                #expect(isEnding || indices.count >= settlingMin, "\(random)")
                settling = indices
            case .wait:
                let mayAnswer = !inFlight.isEmpty
                if let indices = settling, !mayAnswer || Bool.random(using: &random) {
                    settled.formUnion(indices)
                    settling = nil
                    machine.settled()
                } else if mayAnswer {
                    let index = inFlight.remove(
                        at: Int.random(in: 0..<inFlight.count, using: &random))
                    let isKnown = Int.random(in: 0..<4, using: &random) > 0
                    if !isKnown { unknown.insert(index) }
                    machine.answered(index, isToSettle: isKnown)
                    answerCount += 1
                    if answerCount == abortsAfter { machine.abort() }
                } else {
                    Issue.record("Nothing to wait for; \(random)")
                    return
                }
            case .finish:
                break loop
            }
        }
        #expect(inFlight.isEmpty && settling == nil, "\(random)")
        #expect(settled.union(unknown) == sent, "\(random)")
        #expect(settled.isDisjoint(with: unknown), "\(random)")
        #expect(Set(machine.unsent).isDisjoint(with: sent), "\(random)")
        #expect(sent.count + machine.unsent.count == count, "\(random)")
        if abortsAfter == nil { #expect(sent.count == count, "\(random)") }
    }

    @Test func `sends each operation once, never too many at a time, and settles all`() {
        for count in 0..<8 {
            for sendingMax in 1..<4 {
                for abortsAfter in [nil, 1, 2, 5] {
                    for seed in 0..<20 {
                        run(
                            count: count, sendingMax: sendingMax, settlingMin: 1 + seed % 4,
                            abortsAfter: abortsAfter, seed: UInt64(seed))
                    }
                }
            }
        }
    }
}
