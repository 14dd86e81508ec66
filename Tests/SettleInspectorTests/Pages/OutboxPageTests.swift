import Foundation
import HTTPTypes
import Settle
import SettleOutbox
import Testing

@testable import SettleInspector

@Suite struct `The pages of the outbox` {
    private struct Letter: OutboxOperation {
        static let operationName = "<letter>"
        var text = ""
    }

    private func queue() async throws -> (TestDatabase, Outbox, [UUID]) {
        let test = try await TestDatabase.open()
        let outbox = try await test.database.openOutbox(
            OutboxConfiguration(
                operations: [Letter.self], pipelines: [PipelineConfiguration()],
                isRunning: false))
        let ids = try await outbox.write { queue in
            let (first, second, third) = (UUID(), UUID(), UUID())
            try queue.add(Letter(text: "<i>one</i>"), id: first, about: ["d"])
            try queue.add(Letter(text: "two"), id: second, dependencies: [first])
            try queue.add(Letter(text: "three"), id: third, dependencies: [first, second])
            return [first, second, third]
        }
        return (test, outbox, ids)
    }

    @Test func `draw the first graph with its dependencies, and list the operations`() async throws
    {
        let (test, outbox, ids) = try await queue()
        let inspector = try await TestInspector(test.database)
        let page = try await inspector.page("outbox")
        #expect(page.text.matches(of: #/class="box"/#).count == 3)
        #expect(page.text.matches(of: #/class="arrow"/#).count == 3)
        for id in ids {
            #expect(page.links.contains(inspector.path("operation", ["id": id.uuidString])))
        }
        #expect(page.text.contains("&lt;letter&gt;") && !page.text.contains("<letter>"))
        let operation = try await inspector.page("operation", ["id": ids[0].uuidString])
        #expect(operation.text.contains("&lt;i&gt;one&lt;/i&gt;"))
        #expect(operation.links.contains(inspector.path("document", ["id": "d"])))
        #expect(
            try await inspector.page("operation", ["id": UUID().uuidString]).status == .notFound)
        await outbox.close()
        await test.close()
    }

    @Test(arguments: [false, true]) func `hold, retry and skip an operation`(
        isOutboxClosed: Bool
    ) async throws {
        let (test, outbox, ids) = try await queue()
        if isOutboxClosed { await outbox.close() }
        let inspector = try await TestInspector(test.database, isWritable: true)
        let id = ids[0].uuidString
        func operation() throws -> QueuedOperation? {
            try test.database.read { try OutboxSnapshot(in: $0).operation(ids[0]) }
        }
        let held = try await inspector.post("operation/hold", ["id": id, "minutes": "5"])
        #expect(held.status == .seeOther)
        #expect(try operation()?.holds.keys.contains("settle") == true)
        #expect(try await inspector.page("outbox").text.contains("<bdi>held</bdi>"))
        for minutes in ["0", "-1", "x", "999999999999"] {
            let page = try await inspector.post("operation/hold", ["id": id, "minutes": minutes])
            #expect(page.status == .badRequest)
        }
        #expect(try await inspector.post("operation/retry", ["id": id]).status == .seeOther)
        #expect(try operation()?.holds.isEmpty == true)
        #expect(try await inspector.post("operation/skip", ["id": id]).status == .seeOther)
        #expect(try operation() == nil)
        #expect(try await inspector.post("operation/skip", ["id": id]).status == .notFound)
        if !isOutboxClosed { await outbox.close() }
        await test.close()
    }

    @Test func `say that there is none`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("outbox").text.contains("has no outbox"))
        await test.close()
    }
}
