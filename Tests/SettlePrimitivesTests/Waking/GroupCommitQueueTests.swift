import SettlePrimitives
import Testing

@Suite struct `A group commit queue` {
    private enum Event: CaseIterable {
        case add, next, nextOfAll
    }

    @Test func `loses no job, keeps their order, and has one run at a time`() {
        // Every sequence of up to eight events; a batch has at most two jobs, or all that wait.
        var longest: [[Event]] = [[]]
        for _ in 0..<8 {
            longest = longest.flatMap { sequence in Event.allCases.map { sequence + [$0] } }
            for sequence in longest { check(sequence) }
        }
    }

    private func check(_ sequence: [Event]) {
        var queue = GroupCommitQueue<Int>()
        var (added, taken, isRunning) = (0, 0, false)
        for event in sequence {
            switch event {
            case .add:
                #expect(queue.add(added) == !isRunning, "\(sequence)")
                added += 1
                isRunning = true
            case .next, .nextOfAll:
                // Without a run it traps.
                guard isRunning else { continue }
                let batch = event == .next ? queue.next(countMax: 2) : queue.next()
                let count = event == .next ? min(2, added - taken) : added - taken
                #expect(batch == (count == 0 ? nil : Array(taken..<taken + count)), "\(sequence)")
                taken += count
                isRunning = count > 0
            }
            #expect(queue.isRunning == isRunning, "\(sequence)")
        }
    }

    @Test func `ends a batch before the job that does not fit`() {
        var queue = GroupCommitQueue<Int>()
        #expect(queue.add(5) == true)
        for job in [1, 9, 2] { #expect(queue.add(job) == false) }
        func batch() -> [Int]? {
            var sum = 0
            return queue.next { job in
                defer { sum += job }
                return sum == 0 || sum + job <= 8
            }
        }
        #expect(batch() == [5, 1])
        #expect(batch() == [9])
        #expect(queue.add(3) == false)
        #expect(batch() == [2, 3])
        #expect(batch() == nil)
        #expect(queue.add(4) == true)
    }

    @Test func `traps where a commit would take none of the jobs`() async {
        await #expect(processExitsWith: .failure) {
            var queue = GroupCommitQueue<Int>()
            _ = queue.add(1)
            _ = queue.next { _ in false }
        }
    }
}
