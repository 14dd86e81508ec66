import Testing
import TestSupport

@testable import SettleSync

@Suite(.serialized) struct `Push state machine` {
    /// What a run is made of.
    private struct Setting {
        var count: Int
        var sendingMax: Int
        var batchMax: Int
        var lone: Set<Int>
        var storingMin: Int
        var abortsAfter: Int?
        /// One in so many answers holds the others back; 0 for none.
        var holdsEvery: Int = 0
        var seed: UInt64
    }

    /// Drives a machine with answers in a random order and checks every promise on the way.
    private func run(_ setting: Setting) {
        var random = SeededGenerator(seed: setting.seed)
        let (count, lone) = (setting.count, setting.lone)
        var machine = PushStateMachine(
            count: count, sendingMax: setting.sendingMax, batchMax: setting.batchMax, lone: lone,
            storingMin: setting.storingMin)
        var inFlight: [Range<Int>] = []
        var storing: [Int]?
        var sent: Set<Int> = []
        var toRepeat: Set<Int> = []
        var stored: Set<Int> = []
        var answerCount = 0
        var unknown: Set<Int> = []
        /// Answers that hold the others back and are not stored.
        var holding: Set<Int> = []
        loop: while true {
            switch machine.nextAction() {
            case .send(let run):
                #expect(holding.isEmpty, "Sent behind what may be a conflict; \(random)")
                #expect(!run.isEmpty && run.count <= setting.batchMax, "\(random)")
                #expect(run.count == 1 || lone.isDisjoint(with: run), "\(random)")
                for index in run where toRepeat.remove(index) == nil {
                    #expect(sent.insert(index).inserted, "Sent twice; \(random)")
                }
                inFlight.append(run)
                #expect(inFlight.count <= setting.sendingMax, "\(random)")
                if let abortsAfter = setting.abortsAfter {
                    #expect(answerCount < abortsAfter, "\(random)")
                }
            case .store(let indices):
                #expect(storing == nil, "One transaction at a time; \(random)")
                let isAborted = setting.abortsAfter.map { answerCount >= $0 } ?? false
                let isEnding = sent.count == count && toRepeat.isEmpty || isAborted
                #expect(
                    isEnding || !holding.isEmpty || indices.count >= setting.storingMin,
                    "\(random)")
                storing = indices
            case .wait:
                let mayAnswer = !inFlight.isEmpty
                if let indices = storing, !mayAnswer || Bool.random(using: &random) {
                    #expect(stored.isDisjoint(with: indices), "Stored twice; \(random)")
                    stored.formUnion(indices)
                    holding.subtract(indices)
                    storing = nil
                    machine.stored()
                } else if mayAnswer {
                    let run = inFlight.remove(
                        at: Int.random(in: 0..<inFlight.count, using: &random))
                    var known: [Int] = []
                    var repeated: [Int] = []
                    for index in run {
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: unknown.insert(index)
                        case 1 where run.count > 1: repeated.append(index)
                        default: known.append(index)
                        }
                    }
                    toRepeat.formUnion(repeated)
                    let holds =
                        setting.holdsEvery > 0
                        && Int.random(in: 0..<setting.holdsEvery, using: &random) == 0
                    if holds { holding.formUnion(known) }
                    machine.answered(known: known, repeating: repeated, holding: holds)
                    answerCount += 1
                    if answerCount == setting.abortsAfter { machine.abort() }
                } else {
                    Issue.record("Nothing to wait for; \(random)")
                    return
                }
            case .finish:
                break loop
            }
        }
        #expect(inFlight.isEmpty && storing == nil, "\(random)")
        #expect(stored.union(unknown).union(toRepeat) == sent, "\(random)")
        #expect(stored.isDisjoint(with: unknown), "\(random)")
        #expect(Set(machine.unsent).isDisjoint(with: sent), "\(random)")
        #expect(sent.count + machine.unsent.count == count, "\(random)")
        if setting.abortsAfter == nil {
            #expect(sent.count == count && toRepeat.isEmpty, "\(random)")
        }
    }

    @Test(arguments: 1..<5)
    func
        `sends each operation once or once more alone, never too many at a time, and stores all outcomes`(
            batchMax: Int
        )
    {
        for count in 0..<8 {
            for sendingMax in 1..<4 {
                for abortsAfter in [nil, 1, 2, 5] {
                    for lone: Set<Int> in [[], [0], [1, 2], [3]] {
                        for seed in 0..<8 {
                            run(
                                Setting(
                                    count: count, sendingMax: sendingMax, batchMax: batchMax,
                                    lone: lone, storingMin: 1 + seed % 4,
                                    abortsAfter: abortsAfter, holdsEvery: seed % 3,
                                    seed: UInt64(seed)))
                        }
                    }
                }
            }
        }
    }

    @Test func `sends nothing behind an answer that holds it until that is stored`() {
        var machine = PushStateMachine(count: 4, sendingMax: 1)
        #expect(machine.nextAction() == .send(0..<1))
        machine.answered(known: [0])
        #expect(machine.nextAction() == .send(1..<2))
        machine.answered(known: [1], holding: true)
        #expect(machine.nextAction() == .store([0, 1]))
        #expect(machine.nextAction() == .wait)
        machine.stored()
        #expect(machine.nextAction() == .send(2..<3))
        machine.answered(known: [2], holding: true)
        #expect(machine.nextAction() == .store([2]))
        machine.stored()
        machine.abort()
        #expect(machine.nextAction() == .finish)
        #expect(machine.unsent == 3..<4)
    }

    @Test func `makes runs as long as they may be, around those that go alone`() {
        var machine = PushStateMachine(count: 9, sendingMax: 9, batchMax: 3, lone: [4, 5])
        let runs = [0..<3, 3..<4, 4..<5, 5..<6, 6..<9]
        for run in runs { #expect(machine.nextAction() == .send(run)) }
        #expect(machine.nextAction() == .wait)
        machine.answered(known: [0], repeating: [1, 2])
        #expect(machine.nextAction() == .send(1..<2))
        #expect(machine.nextAction() == .send(2..<3))
    }
}
