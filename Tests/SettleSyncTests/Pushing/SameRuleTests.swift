import Foundation
import Settle
import SettleOutbox
import Testing

@testable import SettleSync

/// The push queue of a replication and the rules of a pipeline, side by side.
@Suite(.serialized) struct `What an app does with a document before anything is sent` {
    /// Walks every sequence of saving and deleting of some length.
    private func forEachSequence(_ count: Int, _ body: ([Bool]) -> Void) {
        for bits in 0..<(1 << count) {
            body((0..<count).map { bits >> $0 & 1 == 1 })
        }
    }

    @Test(arguments: CoalescingRules.allCases, [false, true])
    func `leaves the same operation in both outboxes`(
        _ rules: CoalescingRules, _ isThere: Bool
    ) {
        for length in 1...8 {
            forEachSequence(length) { isSaved in
                var machine = PendingChangeStateMachine(server: isThere ? .live : .absent)
                var isHere = isThere
                var queued: OperationKind?
                for isSaved in isSaved {
                    // What an app adds: it knows its documents, and not what the service has.
                    let kind: OperationKind? =
                        isSaved ? (isHere ? .update : .insert) : (isHere ? .delete : nil)
                    isHere = isSaved
                    machine.changed(isDeleted: !isSaved)
                    guard let kind else { continue }
                    guard let before = queued else {
                        queued = kind
                        continue
                    }
                    switch rules.outcome(queued: before, added: kind) {
                    case .newer(let kind): queued = kind
                    case .nothing: queued = nil
                    case .older, .refused:
                        Issue.record("\(kind) after \(before) is lost: \(isSaved)")
                    }
                }
                #expect(queued == machine.queued, "\(isSaved)")
            }
        }
    }

    @Test func `is an update that a replication sends of what was brought back`() async throws {
        let device = try await Device()
        let server = ModelServer()
        try await device.put("fig", ["n": 1, "gone": true])
        try await device.replicate(server)
        try await device.database.delete(documentWithId: "fig")
        try await device.put("fig", ["n": 2, "new": true])
        #expect(try device.database.pendingOperations().map(\.kind) == [.update])
        let summary = try await device.replicate(server)
        #expect(summary.pushed == 1 && server.complaints.isEmpty)
        #expect(server.contents["fig"] == ["n": 2, "new": true])
        #expect(try await device.members("fig") == ["n": 2, "new": true])
        #expect(try device.database.pendingOperations().isEmpty)
    }
}
