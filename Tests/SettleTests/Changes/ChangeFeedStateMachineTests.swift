import TestSupport
import Testing

@testable import struct Settle.ChangeFeedStateMachine

@Suite(.serialized) struct `What a change feed does next` {
    private typealias Machine = ChangeFeedStateMachine

    private func machine(_ since: UInt64, isLive: Bool = false, ignores: Bool = false) -> Machine {
        Machine(since: since, isLive: isLive, ignoresForgottenPurges: ignores)
    }

    private func found(
        _ last: UInt64, of database: UInt64, forgotten: UInt64 = 0
    ) -> Machine.Found {
        .init(
            lastSequence: last, databaseSequence: database, forgottenPurgeSequence: forgotten)
    }

    @Test func `a feed that is not live ends where the database was at the first page`() {
        var machine = machine(3)
        #expect(machine.action == .read(after: 3, through: nil))
        #expect(machine.found(found(5, of: 9)) == nil)
        #expect(machine.action == .read(after: 5, through: 9))
        #expect(machine.found(found(9, of: 20)) == nil)
        #expect(machine.action == .end && machine.lastSequence == 9)
    }

    @Test func `a feed of a database without changes ends at once`() {
        var machine = machine(0)
        #expect(machine.found(found(0, of: 0)) == nil)
        #expect(machine.action == .end)
    }

    @Test func `a live feed waits when it has read everything, and reads when woken`() {
        var machine = machine(0, isLive: true)
        #expect(machine.found(found(4, of: 4)) == nil)
        #expect(machine.action == .wait(beyond: 4))
        machine.changed()
        #expect(machine.action == .read(after: 4, through: nil))
        #expect(machine.found(found(6, of: 8)) == nil)
        #expect(machine.action == .read(after: 6, through: nil))
        machine.closed()
        #expect(machine.action == .end)
        machine.changed()
        #expect(machine.action == .end)
    }

    @Test func `a close ends a live feed, and breaks off another`() {
        var live = machine(0, isLive: true)
        #expect(live.found(found(4, of: 9)) == nil)
        #expect(live.readFailed(isClosed: true) && live.action == .end)
        var late = machine(0, isLive: true)
        #expect(!late.readFailed(isClosed: true) && late.action == .end)
        var once = machine(0)
        #expect(!once.readFailed(isClosed: true) && once.action == .end)
        var broken = machine(0, isLive: true)
        #expect(!broken.readFailed(isClosed: false) && broken.action == .end)
    }

    @Test func `who stood before a forgotten purge cannot go on`() {
        var machine = machine(5, isLive: true)
        #expect(machine.found(found(9, of: 9, forgotten: 6)) == .purgesForgotten)
        #expect(machine.action == .end && machine.lastSequence == 5)
        var later = self.machine(6, isLive: true)
        #expect(later.found(found(9, of: 9, forgotten: 6)) == nil)
    }

    @Test func `who began with nothing misses only purges of what it was told of`() {
        var machine = machine(0)
        #expect(machine.found(found(10, of: 100, forgotten: 60)) == nil)
        // Purged and forgotten before anything was read: no such document was told of.
        #expect(machine.found(found(20, of: 120, forgotten: 100)) == nil)
        #expect(machine.found(found(30, of: 300, forgotten: 101)) == .purgesForgotten)
    }

    @Test func `a live feed that falls behind the list of purges cannot go on`() {
        var machine = machine(0, isLive: true)
        #expect(machine.found(found(10, of: 10)) == nil)
        machine.changed()
        #expect(machine.found(found(40, of: 90, forgotten: 10)) == nil)
        #expect(machine.found(found(50, of: 90, forgotten: 41)) == .purgesForgotten)
    }

    @Test func `a database that has not come as far is another one`() {
        var machine = machine(8, isLive: true)
        #expect(machine.found(found(8, of: 7)) == .databaseIsBehind)
        var careless = self.machine(8, isLive: true, ignores: true)
        #expect(careless.found(found(8, of: 7, forgotten: 9)) == nil)
        #expect(careless.lastSequence == 8 && careless.action == .wait(beyond: 8))
        var once = self.machine(8, ignores: true)
        #expect(once.found(found(8, of: 7)) == nil && once.action == .end)
    }
}
