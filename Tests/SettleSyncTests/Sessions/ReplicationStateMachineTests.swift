import Testing

@testable import SettleSync

@Suite(.serialized) struct `Replication state machine` {
    private typealias Machine = ReplicationStateMachine

    private func policy(
        isRepeating: Bool, direction: ReplicationDirection = .bidirectional
    )
        -> Machine.Policy
    {
        .init(
            isRepeating: isRepeating, direction: direction, retryLimit: 2,
            pollInterval: .seconds(30), backoffFirst: .seconds(1), backoffMax: .seconds(10))
    }

    private let passing = Machine.Failure(isRetryable: true)
    private let lasting = Machine.Failure(isRetryable: false)

    @Test func `pushes before it pulls, and completes once`() {
        var machine = Machine(policy: policy(isRepeating: false))
        #expect(machine.start() == .push)
        #expect(machine.pushed() == .pull)
        #expect(machine.pulled(random: 0) == .complete)
        #expect(machine.isEnded)
    }

    @Test func `only pulls when it goes one way`() {
        var machine = Machine(policy: policy(isRepeating: false, direction: .serverToClient))
        #expect(machine.start() == .pull)
        #expect(machine.pulled(random: 0) == .complete)
    }

    @Test func `only pushes when it goes the other way, and fails with what the push left`() {
        for isRepeating in [false, true] {
            var machine = Machine(
                policy: policy(isRepeating: isRepeating, direction: .clientToServer))
            #expect(machine.start() == .push)
            #expect(machine.pushed() == .endPush)
            #expect(
                machine.pulled(random: 0) == (isRepeating ? .pollWait(.seconds(30)) : .complete))
            if isRepeating { #expect(machine.pollWaitEnded() == .push) }
        }
        var machine = Machine(policy: policy(isRepeating: false, direction: .clientToServer))
        _ = machine.start()
        #expect(machine.pushed(lasting) == .endPush)
        #expect(machine.pulled(random: 0) == .fail)
    }

    @Test func `waits for the next poll between cycles when it repeats`() {
        var machine = Machine(policy: policy(isRepeating: true))
        _ = machine.start()
        for _ in 0..<3 {
            #expect(machine.pushed() == .pull)
            #expect(machine.pulled(random: 0) == .pollWait(.seconds(30)))
            #expect(machine.pollWaitEnded() == .push)
        }
    }

    @Test func `gives up a one-shot replication after as many failures in a row as allowed`() {
        var machine = Machine(policy: policy(isRepeating: false))
        _ = machine.start()
        #expect(machine.failed(passing, random: 1) == .retry(after: .seconds(1), isReported: false))
        #expect(machine.waited() == .push)
        #expect(machine.failed(passing, random: 1) == .retry(after: .seconds(2), isReported: false))
        #expect(machine.waited() == .push)
        #expect(machine.failed(passing, random: 1) == .fail)
        #expect(machine.isEnded)
    }

    @Test func `counts failures anew when something got through`() {
        var machine = Machine(policy: policy(isRepeating: false))
        _ = machine.start()
        for _ in 0..<20 {
            machine.progressed()
            let action = machine.failed(passing, random: 1)
            #expect(action == .retry(after: .seconds(1), isReported: false))
            _ = machine.waited()
        }
    }

    @Test func `does not try again what cannot succeed`() {
        var machine = Machine(policy: policy(isRepeating: false))
        _ = machine.start()
        #expect(machine.failed(lasting, random: 1) == .fail)
    }

    @Test func `tries for ever when it repeats, after waits that double up to the longest`() {
        var machine = Machine(policy: policy(isRepeating: true))
        _ = machine.start()
        for seconds in [1, 2, 4, 8, 10, 10, 10] {
            #expect(
                machine.failed(lasting, random: 1)
                    == .retry(after: .seconds(seconds), isReported: true))
            #expect(machine.waited() == .push)
        }
        _ = machine.pushed()
        _ = machine.pulled(random: 0)
        _ = machine.pollWaitEnded()
        #expect(
            machine.failed(passing, random: 0)
                == .retry(after: .milliseconds(500), isReported: true))
    }

    @Test func `waits as long as the remote asks`() {
        var machine = Machine(policy: policy(isRepeating: true))
        _ = machine.start()
        let busy = Machine.Failure(isRetryable: true, retryAfter: .seconds(77))
        #expect(machine.failed(busy, random: 0.3) == .retry(after: .seconds(77), isReported: true))
    }

    @Test func `pulls after a push that left something behind, and then fails the cycle`() {
        var machine = Machine(policy: policy(isRepeating: false))
        _ = machine.start()
        #expect(machine.pushed(passing) == .pull)
        #expect(machine.pulled(random: 1) == .retry(after: .seconds(1), isReported: false))
    }

    @Test(arguments: 0..<6) func `stops in every state, and stays stopped`(step: Int) {
        var machine = Machine(policy: policy(isRepeating: true))
        let steps: [(inout Machine) -> Machine.Action] = [
            { $0.start() }, { $0.pushed() }, { $0.pulled(random: 0) }, { $0.pollWaitEnded() },
            { [passing] in $0.failed(passing, random: 0) }, { $0.waited() },
        ]
        for step in steps[...step] { _ = step(&machine) }
        #expect(machine.stopped() == .stop)
        #expect(machine.isEnded)
        #expect(machine.pushed() == .stop)
        #expect(machine.pulled(random: 0) == .stop)
        #expect(machine.failed(passing, random: 0) == .stop)
        #expect(machine.waited() == .stop)
        #expect(machine.pollWaitEnded() == .stop)
    }
}
