import Foundation

@testable import SettleOutbox

/// Something that a closure does with the outbox.
enum QueueAction: Sendable {
    case add(UUID, isParcel: Bool, pipeline: String, after: Set<UUID>, priority: Int32)
    /// The graph is that of another operation, given by this or by its number.
    case insert(UUID, intoGraphOf: UUID, byNumber: Bool, after: Set<UUID>, priority: Int32)
    case modify(UUID, after: Set<UUID>?, priority: Int32)
    case hold(UUID, until: Date?, context: String)
    case releaseHolds(UUID)
    case complete(UUID)
    case skip(UUID)
    case giveBack(UUID, after: TimeInterval)
    case markActive(UUID)
    case fail
}

/// What the outbox is to do, in the simplest way: a list of operations, gone through from its
/// beginning for every question.
struct QueueModel {
    struct Item {
        var id: UUID
        /// Tells operations from each other that had one identifier after the other.
        var number: Int
        var isParcel: Bool
        var pipeline: String
        var graph: Int
        var isStrict: Bool
        var priority: Int32
        var named: Set<UUID>
        /// What it waits for, by numbers; those that are not in the list are done.
        var waits: Set<Int> = []
        var holds: [String: Date] = [:]
        var isStarted = false
        var isDraft: Bool
        /// What it named when the closure began.
        var namedBefore: Set<UUID>?
        var isTouched = false

        func isDue(_ now: Date) -> Bool { holds.values.allSatisfy { $0 <= now } }
    }

    /// Why a closure is refused: for one of these reasons.
    struct Refused: Error { var codes: [OutboxError.Code] }

    var items: [Item] = []
    var numberLast = 0
    var graphLast = 0
    var strictGraphLast: [String: Int] = [:]
    var algorithms: [String: PipelineAlgorithm] = [:]
    var ended: Set<UUID> = []

    func index(_ id: UUID) -> Int? { items.firstIndex { $0.id == id } }

    /// The operations of a pipeline, in the order of graphs and of being added.
    func queue(of pipeline: String) -> [Item] {
        items.filter { $0.pipeline == pipeline }
            .sorted { ($0.graph, $0.number) < ($1.graph, $1.number) }
    }

    /// Whether everything that has to be done before an operation is.
    func isFree(_ item: Item) -> Bool {
        if items.contains(where: { item.waits.contains($0.number) }) { return false }
        return !item.isStrict
            || !items.contains { $0.pipeline == item.pipeline && $0.graph < item.graph }
    }

    /// Those that are free and not started, in the order in which they start.
    func free(in pipeline: String) -> [Item] {
        items.filter { $0.pipeline == pipeline && !$0.isStarted && isFree($0) }.sorted {
            (-Int($0.priority), $0.graph, $0.number) < (-Int($1.priority), $1.graph, $1.number)
        }
    }

    mutating func start(_ countMax: Int, in pipeline: String, now: Date, parcels: Bool) -> [UUID] {
        let chosen = free(in: pipeline).filter { $0.isDue(now) && (parcels || !$0.isParcel) }
            .prefix(countMax)
        for item in chosen {
            if let index = index(item.id) { items[index].isStarted = true }
        }
        return chosen.map(\.id)
    }

    /// What a process finds that opens the outbox.
    mutating func reopen(_ pipelines: [PipelineConfiguration]) {
        for index in items.indices { items[index].isStarted = false }
        algorithms = [:]
        var places: [String: String] = [:]
        for pipeline in pipelines {
            algorithms[pipeline.name] = pipeline.algorithm
            for name in pipeline.previousNames { places[name] = pipeline.name }
        }
        for name in Set(strictGraphLast.keys).union(items.map(\.pipeline))
        where algorithms[name] == nil {
            let target = places[name] ?? Outbox.defaultPipeline
            strictGraphLast[target] = max(
                strictGraphLast[target] ?? 0, strictGraphLast.removeValue(forKey: name) ?? 0)
            for index in items.indices where items[index].pipeline == name {
                items[index].pipeline = target
            }
        }
    }

    // MARK: Closures

    /// Does what a closure does, and answers what `complete` and `skip` say; refuses it whole.
    mutating func run(_ actions: [QueueAction], now: Date) throws -> [Bool] {
        var copy = self
        copy.graphLast += 1
        var answers: [Bool] = []
        for action in actions { try copy.apply(action, now, &answers) }
        try copy.settle()
        self = copy
        return answers
    }

    private mutating func apply(
        _ action: QueueAction, _ now: Date, _ answers: inout [Bool]
    ) throws {
        switch action {
        case .add(let id, let isParcel, let pipeline, let named, let priority):
            if index(id) != nil { throw Refused(codes: [.duplicateOperation]) }
            let isStrict = algorithms[pipeline] == .commitGraph
            append(id, isParcel, pipeline, graphLast, isStrict, named, priority)
        case .insert(let id, let neighbour, let byNumber, let named, let priority):
            guard let index = index(neighbour), !items[index].isDraft else {
                throw Refused(codes: [.graphNotFound])
            }
            if self.index(id) != nil { throw Refused(codes: [.duplicateOperation]) }
            let other = items[index]
            // What was moved from another pipeline may differ from the rest of its graph.
            let isStrict =
                other.isStrict
                || byNumber
                    && items.contains {
                        $0.pipeline == other.pipeline && $0.graph == other.graph && $0.isStrict
                    }
            append(id, false, other.pipeline, other.graph, isStrict, named, priority)
        case .modify(let id, let named, let priority):
            let index = try pending(id)
            items[index].namedBefore = items[index].namedBefore ?? items[index].named
            items[index].named = named ?? items[index].named
            items[index].priority = priority
            items[index].isTouched = true
        case .hold(let id, let date, let context):
            items[try pending(id)].holds[context] = date
        case .releaseHolds(let id):
            items[try pending(id)].holds = [:]
        case .complete(let id), .skip(let id):
            let index = index(id)
            answers.append(index != nil)
            if let index {
                items.remove(at: index)
                ended.insert(id)
            }
        case .giveBack(let id, let delay):
            guard let index = index(id), !items[index].isDraft else {
                throw Refused(codes: [.operationNotFound])
            }
            if !items[index].isStarted { throw Refused(codes: [.operationIsNotActive]) }
            items[index].isStarted = false
            items[index].holds[Outbox.retryContext] = delay > 0 ? now + delay : nil
        case .markActive(let id):
            let index = try pending(id)
            if items[index].isDraft { throw Refused(codes: [.operationNotFound]) }
            items[index].isStarted = true
        case .fail:
            throw ExpectedError()
        }
    }

    private mutating func append(
        _ id: UUID, _ isParcel: Bool, _ pipeline: String, _ graph: Int, _ isStrict: Bool,
        _ named: Set<UUID>, _ priority: Int32
    ) {
        numberLast += 1
        items.append(
            Item(
                id: id, number: numberLast, isParcel: isParcel, pipeline: pipeline, graph: graph,
                isStrict: isStrict, priority: priority, named: named, isDraft: true,
                isTouched: true))
    }

    private func pending(_ id: UUID) throws -> Int {
        guard let index = index(id) else { throw Refused(codes: [.operationNotFound]) }
        if items[index].isStarted { throw Refused(codes: [.operationIsActive]) }
        return index
    }

    private mutating func settle() throws {
        for item in items where item.isDraft && item.isStrict {
            strictGraphLast[item.pipeline] = max(strictGraphLast[item.pipeline] ?? 0, item.graph)
        }
        var codes: [OutboxError.Code] = []
        for index in items.indices where items[index].isTouched {
            let item = items[index]
            var waits: Set<Int> = []
            for id in item.named {
                if id == item.id { codes.append(.dependencyCycle) }
                guard let other = items.first(where: { $0.id == id }) else { continue }
                if item.waits.contains(other.number) {
                    waits.insert(other.number)
                    continue
                }
                // Done when it was named.
                if !item.isDraft, item.namedBefore?.contains(id) == true { continue }
                waits.insert(other.number)
                if other.pipeline != item.pipeline { codes.append(.dependencyAcrossPipelines) }
                if other.graph > item.graph, item.graph <= strictGraphLast[item.pipeline] ?? 0 {
                    codes.append(.dependencyOnLaterGraph)
                }
            }
            items[index].waits = waits
        }
        if hasCycle() { codes.append(.dependencyCycle) }
        if !codes.isEmpty { throw Refused(codes: codes) }
        for index in items.indices {
            items[index].isDraft = false
            items[index].isTouched = false
            items[index].namedBefore = nil
        }
    }

    /// Takes away what is free, until nothing can be taken away.
    private func hasCycle() -> Bool {
        var rest = self
        while let index = rest.items.firstIndex(where: { rest.isFree($0) }) {
            rest.items.remove(at: index)
        }
        return !rest.items.isEmpty
    }
}
