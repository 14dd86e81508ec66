import Foundation
import Settle
import SettleOutbox

/// The operations that wait for a cloud service: pipelines, the graph that is next, and the list.
enum OutboxPage {
    /// How many operations of a graph are drawn.
    private static let drawnMax = 60
    /// How many operations of each pipeline are looked at for its counts.
    private static let countedMax = 1_000

    static func content(_ request: PageRequest) throws -> PageContent {
        let now = Date()
        var blocks: [Block] = []
        try request.database.read(named: "inspector: outbox") { snapshot in
            let outbox = try OutboxSnapshot(in: snapshot)
            let chosen = request.values.filled("pipeline") ?? outbox.pipelineNames.first
            blocks.append(.table(try pipelines(outbox, now, request)))
            guard let chosen, outbox.pipelineNames.contains(chosen) else { return }
            blocks += try graph(outbox, chosen, now, request)
            blocks.append(.table(try operations(outbox, chosen, now, request)))
        }
        return PageContent(title: "Outbox", blocks: blocks)
    }

    private static func pipelines(
        _ outbox: OutboxSnapshot, _ now: Date, _ request: PageRequest
    ) throws -> Table {
        var table = Table(
            caption: "Pipelines that ever had an operation",
            columns: ["Pipeline", "Pending", "Active", "Held", "Unknown"],
            emptiness: "The database has no outbox, or it never had an operation.")
        for name in outbox.pipelineNames {
            var counts: [OperationState: Int] = [:]
            var total = 0
            try outbox.forEachOperation(in: name) { operation in
                counts[OperationState(operation, now: now), default: 0] += 1
                total += 1
                return total < countedMax
            }
            let more = total == countedMax ? "+" : ""
            table.rows.append(
                Table.Row(
                    [.name(name, link: request.address("outbox", ["pipeline": name]))]
                        + OperationState.allCases.map {
                            .amount(Amounts.count(counts[$0] ?? 0) + more)
                        }))
        }
        return table
    }

    /// The first graph of a pipeline: what is carried out now, and what waits for it.
    private static func graph(
        _ outbox: OutboxSnapshot, _ pipeline: String, _ now: Date, _ request: PageRequest
    ) throws -> [Block] {
        var operations: [QueuedOperation] = []
        try outbox.forEachOperation(in: pipeline) { operation in
            guard operation.graph == operations.first?.graph ?? operation.graph else {
                return false
            }
            operations.append(operation)
            return operations.count < drawnMax
        }
        let boxes = operations.map { operation in
            GraphDrawing.Box(
                id: operation.id.uuidString, name: operation.name,
                state: OperationState(operation, now: now).rawValue,
                link: request.address("operation", ["id": operation.id.uuidString]),
                dependencies: operation.dependencies.map(\.uuidString).sorted())
        }
        let number = operations.first?.graph ?? 0
        return GraphDrawing.drawing(
            boxes, title: "Graph \(number) of \(VisibleText.beginning(of: pipeline))"
        )
        .map {
            [
                .heading("Graph \(number), the first of '\(VisibleText.beginning(of: pipeline))'"),
                .drawing(
                    $0, caption: "An arrow leads from what is done first to what waits for it"),
            ]
        } ?? []
    }

    private static func operations(
        _ outbox: OutboxSnapshot, _ pipeline: String, _ now: Date, _ request: PageRequest
    ) throws -> Table {
        var table = Table(
            caption:
                "Operations of '\(VisibleText.beginning(of: pipeline))', in the order of their graphs",
            columns: [
                "Operation", "Identifier", "State", "Last error", "Graph", "Waits for", "Starts",
                "Held until",
            ],
            emptiness: "Nothing waits.")
        var last: QueuedOperation?
        try outbox.forEachOperation(in: pipeline, after: place(request)) { operation in
            if let last, table.rows.count == PageRequest.pageSize {
                table.next = request.address(
                    "outbox",
                    [
                        "pipeline": pipeline, "graph": "\(last.graph)",
                        "number": "\(last.number)",
                    ])
                return false
            }
            last = operation
            table.add(
                .name(
                    operation.name,
                    link: request.address("operation", ["id": operation.id.uuidString])),
                .text(operation.id.uuidString),
                .text(OperationState(operation, now: now).rawValue),
                .stored(operation.lastFailure?.message ?? ""), .number(operation.graph),
                .number(operation.dependencies.count), .number(operation.startCount),
                .text(operation.holdDate.map(Amounts.date) ?? ""))
            return true
        }
        return table
    }

    /// The place in the order of operations that a page goes on after.
    private static func place(_ request: PageRequest) -> (graph: UInt64, number: UInt64) {
        let (graph, number) = (request.values.integer("graph"), request.values.integer("number"))
        return (UInt64(clamping: graph ?? 0), UInt64(clamping: number ?? 0))
    }
}

/// Where an operation stands, as people ask for it.
enum OperationState: String, CaseIterable {
    case pending, active, held, unknown

    init(_ operation: QueuedOperation, now: Date) {
        self =
            switch operation.status {
            case .active: .active
            case .unknown: .unknown
            default: operation.holdDate.map { $0 > now } ?? false ? .held : .pending
            }
    }
}

/// One operation: what it is about, what it waits for, and what may be done with it.
enum OperationPage {
    static func content(_ request: PageRequest) throws -> PageContent {
        let text = try request.required("id")
        guard let id = UUID(uuidString: text),
            let operation = try request.database.read({ try OutboxSnapshot(in: $0).operation(id) })
        else {
            throw PageProblem.missing(
                "There is no such operation: it is done, was skipped, or never was there.")
        }
        var blocks: [Block] = [.facts(facts(operation))]
        if let failure = operation.lastFailure {
            blocks.append(
                .warning(
                    "It failed at \(Amounts.date(failure.date)): \(VisibleText.of(failure.message))"
                )
            )
        }
        if request.isWritable { blocks += actions(operation, request) }
        var holds = Table(
            caption: "Holds", columns: ["Reason", "Until"], emptiness: "It is not held.")
        for (context, date) in operation.holds.sorted(by: { $0.key < $1.key }) {
            holds.add(.name(context), .text(Amounts.date(date)))
        }
        blocks.append(.table(holds))
        blocks += [
            .heading("Waits for"),
            .links(
                operation.dependencies.map(\.uuidString).sorted().map {
                    PageLink(text: $0, address: request.address("operation", ["id": $0]))
                }),
            .heading("Documents"),
            .links(
                operation.documentIds.map {
                    PageLink(
                        text: VisibleText.beginning(of: $0),
                        address: request.address(ofDocument: $0))
                }),
            .heading("Content"),
            .code(
                (try? operation.json()).map(JSONLayout.indented) ?? "It cannot be read.",
                label: "What the operation is told"),
        ]
        if !operation.notes.isEmpty {
            blocks += [
                .heading("Notes"),
                .code(
                    JSONLayout.indented(.object(operation.notes)), label: "Notes of the operation"),
            ]
        }
        return PageContent(title: VisibleText.beginning(of: operation.name), blocks: blocks)
    }

    private static func facts(_ operation: QueuedOperation) -> [Fact] {
        [
            Fact(label: "Identifier", value: operation.id.uuidString),
            Fact(label: "Pipeline", value: VisibleText.beginning(of: operation.pipeline)),
            Fact(label: "State", value: OperationState(operation, now: Date()).rawValue),
            Fact(label: "Graph", value: "\(operation.graph)"),
            Fact(label: "Priority", value: "\(operation.priority)"),
            Fact(label: "Starts", value: Amounts.count(operation.startCount)),
        ]
    }

    private static func actions(_ operation: QueuedOperation, _ request: PageRequest) -> [Block] {
        let hidden = [("id", operation.id.uuidString)]
        let skip = Form.button(
            "Skip", request.address("operation/skip"), hidden, isDanger: true, about: operation.name
        )
        let retry = Form.button(
            "Retry now", request.address("operation/retry"), hidden, about: operation.name)
        guard operation.status != .active else { return [.form(retry), .form(skip)] }
        let hold = Form(
            action: request.address("operation/hold"),
            fields: [Field(name: "minutes", label: "Minutes", value: "60")], hidden: hidden,
            button: "Hold", isInline: true)
        return [.form(hold), .form(retry), .form(skip)]
    }

    /// What holds made here are called.
    static let context = "settle"
    /// The longest hold: ten years.
    private static let minutesMax = 5_256_000

    /// Changes the operation of the form.
    ///
    /// - Throws: ``PageProblem`` for one that is not there; what the outbox throws.
    static func change(_ request: PageRequest, _ action: String) async throws {
        guard let id = UUID(uuidString: try request.required("id")) else {
            throw PageProblem.unusable("An operation is named by a UUID.")
        }
        let minutes = request.values.integer("minutes") ?? 0
        if action == "hold", !(1...minutesMax).contains(minutes) {
            throw PageProblem.unusable("An operation is held for 1 to \(minutesMax) minutes.")
        }
        try await withOutbox(of: request.database) { outbox in
            try await request.database.write { transaction in
                let queue = try outbox.with(transaction)
                guard let operation = try queue.operation(id) else {
                    throw PageProblem.missing("The operation is done, or was skipped.")
                }
                switch action {
                case "hold":
                    try queue.hold(
                        id, until: Date().addingTimeInterval(Double(minutes) * 60),
                        context: context)
                case "retry":
                    if operation.status == .active {
                        try queue.giveBack(id)
                    } else {
                        try queue.releaseHolds(id)
                    }
                default: try queue.skip(id)
                }
            }
        }
    }

    /// Runs a closure with the outbox of the app, or where none is open with one that carries nothing out.
    private static func withOutbox(
        of database: Database, _ body: (Outbox) async throws -> Void
    ) async throws {
        if let outbox = database.outbox { return try await body(outbox) }
        let outbox = try await database.openOutbox(
            OutboxConfiguration(operations: [], pipelines: [], isRunning: false))
        do {
            try await body(outbox)
        } catch {
            await outbox.close()
            throw error
        }
        await outbox.close()
    }
}
