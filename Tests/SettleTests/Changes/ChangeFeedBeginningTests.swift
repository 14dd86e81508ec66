import TestSupport
import Testing

@testable import Settle

@Suite(.serialized, .timeLimit(.minutes(60))) struct `A change feed from the beginning` {
    @Test func `misses nothing while it has read nothing, however many purges are forgotten`() {
        var machine = ChangeFeedStateMachine(
            since: 0, isLive: true, ignoresForgottenPurges: false)
        let empty = ChangeFeedStateMachine.Found(
            lastSequence: 0, databaseSequence: 0, forgottenPurgeSequence: 0)
        #expect(machine.found(empty) == nil)
        #expect(machine.action == .wait(beyond: 0))
        machine.changed()
        let later = ChangeFeedStateMachine.Found(
            lastSequence: 40, databaseSequence: 40, forgottenPurgeSequence: 20)
        #expect(machine.found(later) == nil)
        #expect(machine.action == .wait(beyond: 40))
        // From now on it knows documents.
        machine.changed()
        let last = ChangeFeedStateMachine.Found(
            lastSequence: 90, databaseSequence: 90, forgottenPurgeSequence: 41)
        #expect(machine.found(last) == .purgesForgotten)
    }
}
