import Foundation
import Settle

/// The pipelines and operations of an outbox, for people or as JSON.
struct OutboxListing: Sendable {
    /// A pipeline and those of its operations that are shown.
    struct Pipeline: Sendable {
        let name: String
        /// The first of its operations, in order.
        var operations: [OperationEntry] = []
        /// How many operations stand where.
        var counts: [OperationEntry.Standing: Int] = [:]

        /// How many operations it has.
        var count: Int { counts.values.reduce(0, +) }
    }

    private let pipelines: [Pipeline]
    private let names: OperationNames

    /// A listing.
    ///
    /// - Parameters:
    ///   - pipelines: The pipelines, in the order in which they are shown.
    ///   - names: All operations of the outbox.
    init(_ pipelines: [Pipeline], names: OperationNames) {
        self.pipelines = pipelines
        self.names = names
    }

    /// A line and a table a pipeline; or, where contents were asked for, a paragraph an operation.
    func lines(on screen: Screen = .plain) -> [String] {
        guard !pipelines.isEmpty else { return ["No outbox."] }
        var lines: [String] = []
        for pipeline in pipelines {
            if !lines.isEmpty { lines.append("") }
            lines.append(Self.heading(of: pipeline))
            guard !pipeline.operations.isEmpty else { continue }
            if pipeline.operations.contains(where: { $0.content != nil }) {
                for entry in pipeline.operations {
                    lines += [""] + OperationText(entry, names).lines
                }
            } else {
                lines += table(of: pipeline).lines(on: screen)
            }
        }
        let shown = pipelines.map(\.operations.count).reduce(0, +)
        let count = pipelines.map(\.count).reduce(0, +)
        guard shown < count else { return lines }
        return lines + [
            "", "\(Quantity.number(shown)) of \(Quantity.count(count, "operation")) shown.",
        ]
    }

    /// An object an operation.
    var json: [String] {
        pipelines.flatMap { $0.operations.map { JSONRendering.compact($0.json) } }
    }

    private static func heading(of pipeline: Pipeline) -> String {
        let name = "Pipeline '\(ScreenText.printable(pipeline.name))'"
        guard pipeline.count > 0 else { return "\(name): no operations." }
        let parts = OperationEntry.Standing.allCases.compactMap { standing -> String? in
            guard let count = pipeline.counts[standing], count > 0 else { return nil }
            return "\(Quantity.number(count)) \(standing.rawValue)"
        }
        return "\(name): \(Quantity.count(pipeline.count, "operation")), "
            + parts.joined(separator: ", ") + "."
    }

    private func table(of pipeline: Pipeline) -> TextTable {
        var table = TextTable([
            .right("graph"), .name("operation"), .left("type"), .left("status"),
            .right("priority"), .right("starts"), .left("documents"), .left("waits for"),
            .left("held until"),
        ])
        for entry in pipeline.operations {
            table.add([
                String(entry.graph), names.short(entry.id), entry.type, entry.standing.rawValue,
                Quantity.number(entry.priority), Quantity.number(entry.startCount),
                Self.list(entry.documentIds),
                Self.list(entry.dependencies.filter(names.contains).map(names.short)),
                entry.heldUntil.map(DateArgument.text(of:)) ?? "",
            ])
        }
        return table
    }

    /// The first of some texts, and how many more there are.
    private static func list(_ texts: [String]) -> String {
        let countMax = 3
        let first = texts.prefix(countMax).joined(separator: ", ")
        return texts.count > countMax ? "\(first), +\(texts.count - countMax)" : first
    }
}
