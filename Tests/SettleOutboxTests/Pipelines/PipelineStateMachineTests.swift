import Foundation
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Pipeline state machine` {
    private enum Event: CaseIterable {
        case add, endLook, failLook, end, mark, suspend, resume, limitNone, limitOne, limitTwo, stop
    }

    /// A machine and the queue that its shell would have.
    private struct World {
        var machine: PipelineStateMachine
        /// Operations that may start.
        var ready: [UUID] = []
        /// What the look that is under way was asked for.
        var look: Int?
        var suspendCount = 0
        var isStopped = false
        static let start = OperationStart(number: 1, count: 1)
        /// The shell wakes the machine a while after a look has failed.
        var hasFailed = false

        init(limit: Int) {
            machine = PipelineStateMachine(limit: limit)
            advance()
        }

        /// Does what the machine asks for.
        mutating func advance() {
            guard case .look(let countMax) = machine.next() else { return }
            #expect(look == nil, "Two looks at a time.")
            look = countMax
        }

        mutating func apply(_ event: Event) {
            switch event {
            case .add:
                ready.append(UUID())
                machine.queueChanged()
            case .endLook:
                guard let countMax = look else { return }
                let room = machine.limit == 0 ? Int.max : machine.limit
                let started = Array(ready.prefix(countMax))
                ready.removeFirst(started.count)
                let before = machine.active.count
                machine.began(started.map { ($0, Self.start) })
                machine.looked(
                    startedCount: started.count,
                    isEmpty: ready.isEmpty && started.isEmpty && before == 0,
                    countMax: countMax)
                look = nil
                // Limits that were lowered meanwhile concern what starts after.
                if !started.isEmpty { #expect(countMax <= room || machine.limit < countMax) }
            case .failLook:
                guard look != nil else { return }
                machine.lookFailed()
                look = nil
                hasFailed = true
            case .end:
                if let first = machine.active.keys.min(by: { $0.uuidString < $1.uuidString }) {
                    machine.ended(first)
                }
            case .mark: machine.marked(UUID(), Self.start)
            case .suspend:
                suspendCount += 1
                #expect(machine.suspend(count: 1) == suspendCount)
            case .resume:
                suspendCount = max(0, suspendCount - 1)
                #expect(machine.resume() == suspendCount)
            case .limitNone: machine.setLimit(0)
            case .limitOne: machine.setLimit(1)
            case .limitTwo: machine.setLimit(2)
            case .stop:
                isStopped = true
                machine.stop()
            }
            let active = machine.active.count
            if case .look(let countMax) = machine.next() {
                #expect(look == nil)
                #expect(!isStopped)
                if machine.isSuspended { #expect(countMax == 0) }
                if machine.limit > 0 { #expect(active + countMax <= machine.limit) }
                look = countMax
            }
            #expect(machine.next() == .idle)
        }

        /// Ends every look, as long as there are some.
        mutating func settle() {
            while look != nil || hasFailed {
                if look == nil {
                    hasFailed = false
                    machine.queueChanged()
                    advance()
                } else {
                    apply(.endLook)
                }
            }
        }

        /// Whether something may start and nothing keeps it from it.
        var isStuck: Bool {
            !isStopped && !machine.isSuspended && !ready.isEmpty
                && (machine.limit == 0 || machine.active.count < machine.limit)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `leaves nothing lying that may start, after any few events`(limit: Int) {
        var count = 0
        func walk(_ world: World, _ depth: Int, _ path: [Event]) {
            var settled = world
            settled.settle()
            #expect(!settled.isStuck, "\(limit): \(path)")
            count += 1
            if depth == 0 { return }
            for event in Event.allCases {
                var next = world
                next.apply(event)
                walk(next, depth - 1, path + [event])
            }
        }
        walk(World(limit: limit), 4, [])
        #expect(count == 1 + 11 + 121 + 1_331 + 14_641)
    }

    @Test func `leaves nothing lying after many random events`() {
        var random = SeededGenerator()
        for _ in 0..<200 {
            var world = World(limit: Int.random(in: 0...3, using: &random))
            for _ in 0..<60 {
                let event = Event.allCases.randomElement(using: &random) ?? .add
                if event == .stop { continue }
                world.apply(event)
            }
            while world.machine.isSuspended { world.apply(.resume) }
            world.apply(.add)
            world.settle()
            #expect(!world.isStuck, "\(random)")
        }
    }

    @Test func `asks for no more than there is room for`() {
        var machine = PipelineStateMachine(limit: 2)
        #expect(machine.next() == .look(countMax: 2))
        let first = UUID()
        machine.began([(first, World.start)])
        machine.looked(startedCount: 1, isEmpty: false, countMax: 2)
        #expect(machine.next() == .idle)
        machine.queueChanged()
        #expect(machine.next() == .look(countMax: 1))
        machine.began([(UUID(), World.start)])
        machine.looked(startedCount: 1, isEmpty: false, countMax: 1)
        #expect(machine.next() == .idle)
        machine.ended(first)
        #expect(machine.next() == .look(countMax: 1))
    }

    @Test func `has no room for what is started after it was suspended, stopped, or narrowed`() {
        var machine = PipelineStateMachine(limit: 4)
        #expect(machine.room(of: 3) == 3)
        machine.setLimit(2)
        #expect(machine.room(of: 3) == 2)
        machine.marked(UUID(), World.start)
        #expect(machine.room(of: 3) == 1)
        _ = machine.suspend(count: 1)
        #expect(machine.room(of: 3) == 0)
        _ = machine.resume()
        machine.setLimit(0)
        #expect(machine.room(of: 3) == 3)
        machine.stop()
        #expect(machine.room(of: 3) == 0)
    }

    @Test func `looks again when the queue changed while it looked`() {
        var machine = PipelineStateMachine(limit: 8)
        _ = machine.next()
        machine.queueChanged()
        #expect(machine.next() == .idle)
        machine.looked(startedCount: 0, isEmpty: true, countMax: 8)
        #expect(machine.next() == .look(countMax: 8))
    }

    @Test func `is active while operations are, or wait and are not suspended`() {
        var machine = PipelineStateMachine(limit: 1)
        // It is not known yet.
        #expect(machine.isActive)
        _ = machine.next()
        machine.looked(startedCount: 0, isEmpty: true, countMax: 1)
        #expect(!machine.isActive)
        machine.queueChanged()
        #expect(machine.isActive)
        _ = machine.next()
        machine.looked(startedCount: 0, isEmpty: false, countMax: 1)
        #expect(machine.isActive)
        _ = machine.suspend(count: 1)
        #expect(!machine.isActive)
        let operation = UUID()
        machine.marked(operation, World.start)
        #expect(machine.isActive)
        machine.ended(operation)
        #expect(!machine.isActive)
        _ = machine.resume()
        #expect(machine.isActive)
    }

    @Test func `is not told of the end of another start`() {
        var machine = PipelineStateMachine(limit: 1)
        let operation = UUID()
        let start = OperationStart(number: 7, count: 2)
        machine.marked(operation, start)
        machine.ended(operation, OperationStart(number: 7, count: 1))
        // Of another operation that had the identifier before.
        machine.ended(operation, OperationStart(number: 6, count: 2))
        #expect(machine.active == [operation: start])
        machine.ended(operation, start)
        #expect(machine.active.isEmpty)
    }

    @Test func `counts suspensions, ignores a resume too many, and does not overflow`() {
        var machine = PipelineStateMachine(limit: 1)
        #expect(machine.resume() == 0)
        #expect(machine.suspend(count: 0) == 0)
        #expect(machine.suspend(count: 3) == 3)
        #expect(machine.resume() == 2)
        #expect(machine.suspend(count: .max) == .max)
        #expect(machine.resume() == .max - 1)
    }

    @Test func `waits longer after every start that failed, up to the longest wait`() {
        let policy = RetryPolicy(first: 1, longest: 10)
        let waits = [1, 2, 3, 4, 5, 90].map { policy.wait(startCount: $0, random: 1) }
        #expect(waits == [1, 2, 4, 8, 10, 10])
        #expect(policy.wait(startCount: 2, random: 0) == 1)
    }
}
