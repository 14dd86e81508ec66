import Testing

@testable import SettleSync

@Suite(.serialized) struct `PushQueue entry state machine` {
    /// What may happen to one document and its operations.
    enum Event: CaseIterable {
        case changedHere, deletedHere, claimed, carriedOut, certainlyNotCarriedOut, unknown
    }

    /// The remote and the document as they really are, without any cleverness: every operation
    /// that is carried out is carried out here.
    struct World {
        var isLiveHere: Bool
        var server: ServerPresence
        /// Content counters: equal when both sides have the same content.
        var contentHere = 0
        var contentThere = 0
        var sent: (kind: OperationKind, content: Int)?

        mutating func carryOut() -> Bool {
            guard let sent else { return false }
            switch sent.kind {
            case .insert where server == .absent, .update where server == .live:
                server = .live
                contentThere = sent.content
            case .delete where server == .live:
                server = .deleted
            case .undelete where server == .deleted:
                server = .live
            default:
                return false
            }
            return true
        }

        var isEqual: Bool {
            isLiveHere == (server == .live) && (!isLiveHere || contentHere == contentThere)
        }
    }

    private func run(_ events: [Event], server: ServerPresence) throws {
        var world = World(isLiveHere: server == .live, server: server)
        var machine = PendingChangeStateMachine(server: server)
        for event in events {
            switch event {
            case .changedHere:
                world.isLiveHere = true
                world.contentHere += 1
                machine.changed(isDeleted: false)
            case .deletedHere:
                world.isLiveHere = false
                machine.changed(isDeleted: true)
            case .claimed:
                let before = machine.sent
                let kind = machine.claim()
                if let before {
                    #expect(kind == before, "What was sent is never rewritten: \(events)")
                } else if let kind {
                    world.sent = (kind, world.contentHere)
                }
            case .carriedOut:
                guard world.sent != nil else { continue }
                let isPossible = world.carryOut()
                #expect(isPossible, "The remote can carry out \(events)")
                world.sent = nil
                let result = machine.acknowledged(
                    by: world.server, isEqual: world.isEqual, isDeletedHere: !world.isLiveHere)
                if result != .remains {
                    #expect(machine.isDone)
                    #expect(world.isEqual, "Done means equal: \(events)")
                }
            case .certainlyNotCarriedOut:
                guard world.sent != nil else { continue }
                world.sent = nil
                machine.restarted(server: world.server, isDeletedHere: !world.isLiveHere)
            case .unknown:
                continue
            }
        }
        // However it went: claiming and carrying out until nothing is left makes both sides equal.
        for _ in 0..<4 {
            guard let kind = machine.claim() else { break }
            if world.sent == nil { world.sent = (kind, world.contentHere) }
            let isPossible = world.carryOut()
            #expect(isPossible, "The remote can carry out \(kind) after \(events)")
            world.sent = nil
            _ = machine.acknowledged(
                by: world.server, isEqual: world.isEqual, isDeletedHere: !world.isLiveHere)
        }
        #expect(machine.isDone, "\(events)")
        #expect(world.isLiveHere == (world.server == .live), "\(events)")
    }

    @Test(arguments: ServerPresence.allCases)
    func `ends with both sides equal after every sequence of six events`(
        server: ServerPresence
    ) throws {
        var sequences: [[Event]] = [[]]
        for _ in 0..<6 {
            sequences = sequences.flatMap { sequence in Event.allCases.map { sequence + [$0] } }
            for sequence in sequences where sequence.count < 6 || server == .live {
                try run(sequence, server: server)
            }
        }
    }

    @Test(arguments: [
        (ServerPresence.absent, "i", OperationKind?.some(.insert)),
        (.absent, "iu", .insert), (.absent, "id", nil), (.absent, "iduu", .insert),
        (.live, "u", .update), (.live, "uu", .update), (.live, "ud", .delete),
        (.live, "d", .delete), (.live, "du", .update), (.live, "udu", .update),
        (.deleted, "i", .undelete), (.deleted, "id", nil), (.deleted, "iu", .undelete),
    ])
    func `coalesces what was not sent as the tables of the references say`(
        server: ServerPresence, edits: String, expected: OperationKind?
    ) {
        var machine = PendingChangeStateMachine(server: server)
        for edit in edits { machine.changed(isDeleted: edit == "d") }
        #expect(machine.queued == expected)
        #expect(machine.sent == nil)
    }

    @Test(arguments: [
        (ServerPresence.absent, "i", "d", OperationKind.insert, OperationKind?.some(.delete)),
        (.absent, "i", "u", .insert, .update), (.live, "u", "u", .update, .update),
        (.live, "u", "d", .update, .delete), (.live, "d", "i", .delete, .undelete),
        (.live, "d", "id", .delete, nil), (.deleted, "i", "d", .undelete, .delete),
    ])
    func `queues a second operation behind the one in flight`(
        server: ServerPresence, before: String, after: String, sent: OperationKind,
        queued: OperationKind?
    ) {
        var machine = PendingChangeStateMachine(server: server)
        for edit in before { machine.changed(isDeleted: edit == "d") }
        #expect(machine.claim() == sent)
        for edit in after { machine.changed(isDeleted: edit == "d") }
        #expect(machine.sent == sent)
        #expect(machine.queued == queued)
    }

    @Test func `takes the remote's form only when the document was not touched since`() {
        var untouched = PendingChangeStateMachine(server: .live, queued: .update)
        _ = untouched.claim()
        let adopted = untouched.acknowledged(by: .live, isEqual: false, isDeletedHere: false)
        #expect(adopted == .adopt)

        var edited = PendingChangeStateMachine(server: .live, queued: .update)
        _ = edited.claim()
        edited.changed(isDeleted: false)
        let kept = edited.acknowledged(by: .live, isEqual: false, isDeletedHere: false)
        #expect(kept == .remains)
        #expect(edited.queued == .update)
    }
}
