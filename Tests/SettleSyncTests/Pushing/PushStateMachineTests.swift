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
        /// How many operations each later claim finds; none when there are no later ones.
        var claims: [Int] = []
        /// Whether it stops claiming after the second answer.
        var stopsClaiming = false
        var seed: UInt64
    }

    /// Drives a machine with answers in a random order and checks every promise on the way.
    private func run(_ setting: Setting) {
        var random = SeededGenerator(seed: setting.seed)
        var (count, lone) = (setting.count, setting.lone)
        var claims = setting.claims
        var isClaiming = false
        var mayClaim = !claims.isEmpty
        var machine = PushStateMachine(
            count: count, sendingMax: setting.sendingMax, batchMax: setting.batchMax, lone: lone,
            storingMin: setting.storingMin, claimingMore: mayClaim)
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
                let isEnding =
                    sent.count == count && toRepeat.isEmpty && !isClaiming || isAborted
                #expect(
                    isEnding || !holding.isEmpty || indices.count >= setting.storingMin,
                    "\(random)")
                storing = indices
            case .claim:
                #expect(mayClaim && !isClaiming, "\(random)")
                #expect(
                    count - sent.count < setting.sendingMax * setting.batchMax,
                    "Claimed more than is to be sent soon; \(random)")
                isClaiming = true
            case .wait:
                let mayAnswer = !inFlight.isEmpty
                if isClaiming, !mayAnswer && storing == nil || Bool.random(using: &random) {
                    isClaiming = false
                    let more = claims.removeFirst()
                    mayClaim = mayClaim && !claims.isEmpty
                    let alone: Set<Int> = more > 1 ? [count + 1] : []
                    machine.claimed(more, lone: alone, goingOn: mayClaim)
                    lone.formUnion(alone)
                    count += more
                } else if let indices = storing, !mayAnswer || Bool.random(using: &random) {
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
                    if answerCount == 2, setting.stopsClaiming {
                        machine.stopClaiming()
                        mayClaim = false
                    }
                } else {
                    Issue.record("Nothing to wait for; \(random)")
                    return
                }
            case .finish:
                break loop
            }
        }
        #expect(inFlight.isEmpty && storing == nil && !isClaiming, "\(random)")
        if setting.abortsAfter == nil, !setting.stopsClaiming {
            #expect(claims.isEmpty, "Not all was claimed; \(random)")
        }
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

    @Test(arguments: 1..<5)
    func `claims more while it sends, and keeps all its promises`(batchMax: Int) {
        for claims in [[0], [1], [3], [2, 0, 5], [7, 1, 1], [1, 1, 1, 1]] {
            for sendingMax in 1..<4 {
                for abortsAfter in [nil, 1, 3] {
                    for seed in 0..<16 {
                        run(
                            Setting(
                                count: 1 + seed % 5, sendingMax: sendingMax, batchMax: batchMax,
                                lone: [1], storingMin: 1 + seed % 4, abortsAfter: abortsAfter,
                                claims: claims, stopsClaiming: seed % 3 == 0, seed: UInt64(seed)))
                    }
                }
            }
        }
    }

    @Test func `claims nothing while it holds as much as it may`() {
        var machine = PushStateMachine(count: 1, sendingMax: 2, batchMax: 2, claimingMore: true)
        machine.isFull = true
        #expect(machine.nextAction() == .send(0..<1))
        #expect(machine.nextAction() == .wait)
        machine.isFull = false
        #expect(machine.nextAction() == .claim)
        machine.claimed(1, goingOn: true)
        // The remote has something to do meanwhile, so the batch waits to be filled.
        #expect(machine.nextAction() == .send(1..<2))
        #expect(machine.nextAction() == .claim)
        machine.claimed(1, goingOn: true)
        machine.answered(known: [0])
        #expect(machine.nextAction() == .send(2..<3))
        #expect(machine.nextAction() == .claim)
        machine.answered(known: [1])
        machine.answered(known: [2])
        #expect(machine.nextAction() == .wait)
        machine.claimed(0, goingOn: false)
        #expect(machine.nextAction() == .store([0, 1, 2]))
        machine.stored()
        #expect(machine.nextAction() == .finish)
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
