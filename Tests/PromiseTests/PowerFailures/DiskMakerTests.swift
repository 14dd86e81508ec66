import TestSupport
import Testing

/// The disks that are made of small records, beside all that there can be.
@Suite struct `The disks of a power failure` {
    /// The disk after some events on the file `/f`.
    private func disk(
        _ actions: [TraceEvent.Action], on bytes: [UInt8] = [],
        flush: SimulatedDisk.Flush = .asAsked
    ) -> SimulatedDisk {
        var disk = SimulatedDisk(files: ["/f": bytes], flush: flush)
        for action in actions { disk.apply(TraceEvent(action: action, file: 7, path: "/f")) }
        return disk
    }

    /// Every content of `/f` that a manner gives in many tries.
    private func contents(
        _ disk: SimulatedDisk, _ manner: DiskMaker.Manner, tries: Int = 300
    ) -> Set<[UInt8]?> {
        var generator = SeededGenerator(seed: 5)
        let maker = DiskMaker(disk: disk, manner: manner)
        return Set((0..<tries).map { _ in maker.image(using: &generator)["/f"] })
    }

    private func sector(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 512) }

    @Test func `have every sector in each of the states since its flush, whatever the others have`()
    {
        let torn = disk(
            [
                .write(offset: 0, bytes: sector(1) + sector(1), identifier: nil),
                .write(offset: 512, bytes: sector(2), identifier: nil),
            ], on: sector(0) + sector(0))
        let wanted = Set(
            [0, 1].flatMap { first in
                [0, 1, 2].map { second -> [UInt8]? in sector(first) + sector(second) }
            })
        #expect(contents(torn, .sectors) == wanted)
        // Both lie in one page.
        #expect(
            contents(torn, .pages) == [
                sector(0) + sector(0), sector(1) + sector(1), sector(1) + sector(2),
            ])
        #expect(contents(torn, .nothing) == [sector(0) + sector(0)])
        #expect(contents(torn, .everything) == [sector(1) + sector(2)])
        #expect(contents(torn, .wholeChanges).count == 4)
    }

    @Test func `have what was flushed, and of what came during the flush anything`() {
        let events: [TraceEvent.Action] = [
            .write(offset: 0, bytes: sector(1), identifier: nil), .flush(identifier: 9),
            .write(offset: 512, bytes: sector(2), identifier: nil),
        ]
        let before = Set<[UInt8]?>([[], sector(1), sector(1) + sector(2), sector(0) + sector(2)])
        #expect(contents(disk(events), .wholeChanges) == before)
        let ended = events + [.flushEnd(identifier: 9, isSound: true)]
        #expect(contents(disk(ended), .wholeChanges) == [sector(1), sector(1) + sector(2)])
        let failed =
            events + [
                .flushEnd(identifier: 9, isSound: false), .flush(identifier: 10),
                .flushEnd(identifier: 10, isSound: true),
            ]
        // The second flush says nothing of what the first one failed on.
        #expect(
            contents(disk(failed), .wholeChanges) == [sector(0) + sector(2), sector(1) + sector(2)])
        #expect(contents(disk(ended, flush: .withoutData), .wholeChanges) == before)
    }

    @Test func `have a write that flushes itself once it has returned`() {
        let events: [TraceEvent.Action] = [
            .write(offset: 0, bytes: sector(1), identifier: nil),
            .write(offset: 0, bytes: sector(2), identifier: 3),
        ]
        let under = disk(events, on: sector(0))
        #expect(contents(under, .sectors) == [sector(0), sector(1), sector(2)])
        let ended = events + [.writeEnd(identifier: 3, isSound: true)]
        // What lay under it cannot come to light any more.
        #expect(contents(disk(ended, on: sector(0)), .wholeChanges) == [sector(2)])
        #expect(
            contents(disk(ended, on: sector(0), flush: .withoutOwnWrites), .sectors)
                == [sector(0), sector(1), sector(2)])
    }

    @Test func `have names once their folder is flushed, and a renaming whole`() {
        var disk = SimulatedDisk(files: ["/d/f": [1]])
        func apply(_ action: TraceEvent.Action, _ file: UInt64, _ path: String) {
            disk.apply(TraceEvent(action: action, file: file, path: path))
        }
        func images() -> Set<DiskMaker.Image> {
            var generator = SeededGenerator(seed: 5)
            return Set(
                (0..<100).map { _ in
                    DiskMaker(disk: disk, manner: .sectors).image(using: &generator)
                })
        }
        apply(.open(isNew: true, isEmptied: false), 2, "/d/new")
        apply(.write(offset: 0, bytes: [2], identifier: nil), 2, "/d/new")
        apply(.flush(identifier: 1), 2, "/d/new")
        apply(.flushEnd(identifier: 1, isSound: true), 2, "/d/new")
        #expect(images() == [["/d/f": [1]], ["/d/f": [1], "/d/new": [2]]])
        apply(.rename(to: "/d/f"), 0, "/d/new")
        #expect(images() == [["/d/f": [1]], ["/d/f": [1], "/d/new": [2]], ["/d/f": [2]]])
        apply(.flush(identifier: 2), 0, "/d")
        apply(.flushEnd(identifier: 2, isSound: true), 0, "/d")
        #expect(images() == [["/d/f": [2]]])
        #expect(disk.isAtRest)
    }

    @Test func `may have garbage in a block on its way, and nowhere else`() {
        let torn = disk(
            [.write(offset: 512, bytes: sector(1), identifier: nil)], on: sector(0) + sector(0))
        var generator = SeededGenerator(seed: 5)
        let maker = DiskMaker(
            disk: torn, manner: .everything, damage: .init(blockSize: 512) { _, _ in true })
        let images = (0..<20).compactMap { _ in maker.image(using: &generator)["/f"] }
        #expect(images.allSatisfy { Array($0.prefix(512)) == sector(0) })
        #expect(images.contains { Array($0.suffix(512)) != sector(1) })
    }

    @Test func `have a length that the file had`() {
        let grown = disk([.allocate(offset: 0, length: 1_024), .truncate(length: 512)])
        #expect(contents(grown, .sectors) == [[], sector(0) + sector(0), sector(0)])
    }
}
