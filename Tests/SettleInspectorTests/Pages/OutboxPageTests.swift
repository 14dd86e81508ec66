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

    @Test func `list operations page by page, each once, also when some are done meanwhile`()
        async throws
    {
        let (test, outbox, ids) = try await queue()
        let more = try await outbox.write { queue in
            try (0..<120).map { try queue.add(Letter(text: "\($0)")) }
        }
        let inspector = try await TestInspector(test.database)
        var found: [String] = []
        var (next, pages): (String?, Int) = (inspector.path("outbox"), 0)
        while let path = next {
            let page = try await inspector.get(path)
            let table = page.text.split(separator: "<caption>").last ?? ""
            let ids = table.matches(of: #/operation\?id=([^"]*)/#).map { String($0.1) }
            found += ids
            // The last of a page need not be there when the next one is asked for.
            let last = try #require(ids.last.flatMap { UUID(uuidString: $0) })
            _ = try await outbox.write { try $0.skip(last) }
            next = page.next
            pages += 1
        }
        #expect(pages == 3)
        #expect(found == (ids + more).map(\.uuidString))
        await outbox.close()
        await test.close()
    }

    @Test func `show why an operation failed last`() async throws {
        struct Refused: Error, CustomStringConvertible { let description = "<b>never</b>" }
        let test = try await TestDatabase.open()
        let outbox = try await test.database.openOutbox(
            OutboxConfiguration(
                operations: [Letter.self],
                pipelines: [PipelineConfiguration(start: { _ in throw Refused() })]))
        var failures = outbox.failures.makeAsyncIterator()
        let id = try await outbox.write { try $0.add(Letter(text: "one")) }
        _ = await failures.next()
        await outbox.close()
        let inspector = try await TestInspector(test.database, isWritable: true)
        for path in ["outbox", "operation"] {
            let page = try await inspector.page(path, ["id": id.uuidString])
            #expect(page.text.contains("&lt;b&gt;never&lt;/b&gt;"))
        }
        #expect(
            try await inspector.post("operation/retry", ["id": id.uuidString]).status == .seeOther)
        await test.close()
    }

    @Test func `say that there is none`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("outbox").text.contains("has no outbox"))
        await test.close()
    }
}
