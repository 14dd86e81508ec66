import Testing

@testable import SettleIndexing

@Suite(.serialized) struct `The passes of catching up` {
    private let pace = IndexPace()

    private func limit(_ passes: CatchUpPasses) -> MapLimit {
        pace.limit(of: passes, isCancelled: { false })
    }

    /// Catches up with a backlog of changes of a mebibyte each, while writers add others.
    ///
    /// - Returns: The passes it took, and the most bytes that one of them had.
    private func catchUp(
        _ backlog: UInt64, _ added: (_ taken: UInt64) -> UInt64
    ) -> (passes: CatchUpPasses, byteCountMax: Int) {
        var passes = CatchUpPasses()
        var (base, latest): (UInt64, UInt64) = (0, backlog)
        var byteCountMax = 0
        while true {
            let limit = limit(passes)
            let room = UInt64(min(limit.countMax, limit.byteCountMax >> 20))
            let reached = min(latest, base + max(1, room))
            byteCountMax = max(byteCountMax, Int(reached - base) << 20)
            passes.end(base: base, reached: reached, latest: latest)
            if reached == latest { return (passes, byteCountMax) }
            latest += added(reached - base)
            base = reached
        }
    }

    @Test func `need no more memory as long as the index gains`() {
        for backlog in stride(from: UInt64(1), through: 400, by: 13) {
            for share in UInt64(2)...5 {
                let (passes, byteCountMax) = catchUp(backlog) { $0 / share }
                #expect(passes.lostCount == 0, "\(backlog), 1/\(share)")
                #expect(byteCountMax <= pace.changeByteCountMax, "\(backlog), 1/\(share)")
            }
        }
        let (passes, byteCountMax) = catchUp(4_000) { _ in 0 }
        #expect(byteCountMax == pace.changeByteCountMax && passes.count == 4_000 / 16)
    }

    @Test func `end however much the writers add`() {
        for backlog in stride(from: UInt64(1), through: 100, by: 9) {
            for added in UInt64(0)...60 {
                let (passes, _) = catchUp(backlog) { _ in added }
                #expect(passes.count < 40, "\(backlog), \(added)")
            }
        }
        for factor in UInt64(1)...10 {
            let (passes, _) = catchUp(100) { $0 * factor }
            #expect(passes.count < 40 && passes.lostCount > 1, "times \(factor)")
        }
    }

    @Test func `take more changes each, and for a longer time`() {
        var passes = CatchUpPasses()
        var last = 0
        for _ in 0..<10 {
            let countMax = limit(passes).countMax
            #expect(countMax > last)
            last = countMax
            passes.end(base: 0, reached: 10, latest: 20)
        }
    }
}
