@testable import Settle
import SettleIndexing
import Testing

@Suite(.serialized) struct `The rounds of catching up` {
    private let pace = IndexPace()

    private func limit(_ rounds: CatchUpRounds) -> MapLimit {
        pace.limit(of: rounds, isCancelled: { false })
    }

    /// Catches up with a backlog of changes of a mebibyte each, while writers add others.
    ///
    /// - Returns: The rounds it took, and the most bytes that one of them had.
    private func catchUp(
        _ backlog: UInt64, _ added: (_ taken: UInt64) -> UInt64
    ) -> (rounds: CatchUpRounds, byteCountMax: Int) {
        var rounds = CatchUpRounds()
        var (base, latest): (UInt64, UInt64) = (0, backlog)
        var byteCountMax = 0
        while true {
            let limit = limit(rounds)
            let room = UInt64(min(limit.countMax, limit.byteCountMax >> 20))
            let reached = min(latest, base + max(1, room))
            byteCountMax = max(byteCountMax, Int(reached - base) << 20)
            rounds.end(base: base, reached: reached, latest: latest)
            if reached == latest { return (rounds, byteCountMax) }
            latest += added(reached - base)
            base = reached
        }
    }

    @Test func `need no more memory as long as the index gains`() {
        for backlog in stride(from: UInt64(1), through: 400, by: 13) {
            for share in UInt64(2)...5 {
                let (rounds, byteCountMax) = catchUp(backlog) { $0 / share }
                #expect(rounds.lostCount == 0, "\(backlog), 1/\(share)")
                #expect(byteCountMax <= pace.changeByteCountMax, "\(backlog), 1/\(share)")
            }
        }
        let (rounds, byteCountMax) = catchUp(4_000) { _ in 0 }
        #expect(byteCountMax == pace.changeByteCountMax && rounds.count == 4_000 / 16)
    }

    @Test func `end however much the writers add`() {
        for backlog in stride(from: UInt64(1), through: 100, by: 9) {
            for added in UInt64(0)...60 {
                let (rounds, _) = catchUp(backlog) { _ in added }
                #expect(rounds.count < 40, "\(backlog), \(added)")
            }
        }
        for factor in UInt64(1)...10 {
            let (rounds, _) = catchUp(100) { $0 * factor }
            #expect(rounds.count < 40 && rounds.lostCount > 1, "times \(factor)")
        }
    }

    @Test func `take more changes each, and for a longer time`() {
        var rounds = CatchUpRounds()
        var last = 0
        for _ in 0..<10 {
            let countMax = limit(rounds).countMax
            #expect(countMax > last)
            last = countMax
            rounds.end(base: 0, reached: 10, latest: 20)
        }
    }
}
