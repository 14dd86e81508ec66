import Foundation
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite struct `Pull state machine` {
    private enum Step { case come, make, store }

    /// Drives a machine with reports in a random order and checks every promise on the way.
    private func run(
        pageCount: Int, heldMax: Int, failsAt: Int?, abortsAfter: Int?, seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var machine = PullStateMachine(heldMax: heldMax)
        // The first page has been asked for.
        var isAsking = true
        var (came, made, stored, storing, reports) = (0, 0, 0, 0, 0)
        var (hasFailed, isAborted) = (false, false)
        func come() {
            isAsking = false
            if came == failsAt {
                hasFailed = true
                machine.failed()
            } else {
                came += 1
                machine.came(isLast: came == pageCount)
            }
        }
        come()
        loop: while true {
            if !isAborted, reports == abortsAfter {
                isAborted = true
                machine.abort()
            }
            switch machine.nextAction() {
            case .ask:
                #expect(!isAsking && !hasFailed && !isAborted && came < pageCount, "\(random)")
                #expect(came - stored < heldMax, "\(random)")
                isAsking = true
            case .store(let count):
                #expect(storing == 0 && !isAborted, "One transaction at a time; \(random)")
                #expect(count == made - stored, "What is made is stored together; \(random)")
                storing = count
            case .wait:
                let steps =
                    (storing > 0 ? [Step.store] : []) + (made < came ? [.make] : [])
                    + (isAsking ? [.come] : [])
                guard let step = steps.randomElement(using: &random) else {
                    Issue.record("Nothing to wait for; \(random)")
                    return
                }
                reports += 1
                switch step {
                case .store:
                    stored += storing
                    storing = 0
                    machine.stored()
                case .make:
                    made += 1
                    machine.made()
                case .come: come()
                }
            case .finish:
                break loop
            }
        }
        #expect(!isAsking && storing == 0 && made == came, "\(random)")
        if !isAborted {
            #expect(stored == (failsAt.map { min($0, came) } ?? pageCount), "\(random)")
        }
    }

    @Test(arguments: 1..<5)
    func `asks for each page once, one ahead, and stores all that came in order`(heldMax: Int) {
        for pageCount in 1..<8 {
            for failsAt in [nil, 0, 1, 2, 5] where failsAt ?? 0 < pageCount {
                for abortsAfter in [nil, 0, 1, 2, 3, 5] {
                    for seed in 0..<16 {
                        run(
                            pageCount: pageCount, heldMax: heldMax, failsAt: failsAt,
                            abortsAfter: abortsAfter, seed: UInt64(seed))
                    }
                }
            }
        }
    }

    @Test func `asks for the page behind the next one while a page is stored`() {
        var machine = PullStateMachine(heldMax: 2)
        machine.came(isLast: false)
        #expect(machine.nextAction() == .ask, "While the page is made.")
        #expect(machine.nextAction() == .wait)
        machine.made()
        #expect(machine.nextAction() == .store(count: 1))
        #expect(machine.nextAction() == .wait)
        machine.came(isLast: false)
        machine.made()
        #expect(machine.nextAction() == .wait, "Two pages are held.")
        machine.stored()
        #expect(machine.nextAction() == .ask)
        #expect(machine.nextAction() == .store(count: 1))
        machine.failed()
        machine.stored()
        #expect(machine.nextAction() == .finish)
    }

    @Test func `has the items of a page made once, and changes them in their place`() {
        let makeCount = Atomic(0)
        let items = (0..<3).map { RemoteItem(id: "\($0)", version: nil, members: ["n": 1]) }
        let page = PullPage(itemCount: 3, token: nil, isLast: true) {
            makeCount.add(1, ordering: .relaxed)
            return items
        }
        #expect(page.itemCount == 3 && makeCount.load(ordering: .relaxed) == 0)
        var described = page.describingAttachments(true)
        #expect(makeCount.load(ordering: .relaxed) == 1)
        described.items.removeLast()
        described.items[0].version = "1"
        #expect(described.items.map(\.version) == ["1", nil] && described.itemCount == 2)
        #expect(described.items.allSatisfy { $0.members[AttachmentMember.name] == [:] })
        #expect(makeCount.load(ordering: .relaxed) == 1)
        #expect(page == PullPage(items: items, token: nil, isLast: true))
    }

    @Test func `hands pages on in the order in which they came, whichever is made first`() {
        let query = PullQuery()
        func page(_ number: Int) -> AskedPage {
            AskedPage(
                page: PullPage(items: [], token: PullToken("\(number)"), isLast: false), token: nil,
                context: PageContext(query: query, storedOutcomeCount: 0, date: .distantPast))
        }
        for seed in UInt64(0)..<64 {
            var random = SeededGenerator(seed: seed)
            var (pages, handed) = (ArrivedPages(), [String?]())
            var waiting: [Int] = []
            for number in 0..<6 {
                #expect(pages.add() == number)
                waiting.append(number)
                while waiting.count > 2 || number == 5,
                    let made = waiting.randomElement(using: &random)
                {
                    waiting.removeAll { $0 == made }
                    handed += pages.made(made, page(made)).map { $0.page.token?.text }
                }
            }
            #expect(handed == (0..<6).map { "\($0)" }, "\(random)")
        }
    }
}
