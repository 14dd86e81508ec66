import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

/// A random walk through the uses of an outbox, beside a model of it.
struct QueueWalk {
    private let seed: UInt64
    private var random: SeededGenerator
    private var model = QueueModel()
    private var queue: QueueFixture
    private var pipelines: [PipelineConfiguration]
    private var knowsParcels = true

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        pipelines = Self.pipelines(&random)
        queue = try await QueueFixture(pipelines)
        model.reopen(pipelines)
    }

    mutating func run(stepCount: Int) async throws {
        for step in 0..<stepCount {
            let comment = comment("step \(step)")
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await reopen()
            case 1...5: try await start(comment)
            case 6: queue.date.advance(by: Double(Int.random(in: 1...20, using: &random)))
            default: try await runClosure(comment)
            }
            try check(comment)
            if step.isMultiple(of: 10) { #expect(try await queue.database.check() == [], comment) }
        }
        try await drain()
        await queue.close()
    }

    /// Where the walk is, and how it is repeated.
    private func comment(_ place: String) -> Comment {
        Comment(rawValue: "\(QueueWalkSettings.repeating(seed)), \(place)")
    }

    // MARK: Steps

    private static func pipelines(
        _ random: inout SeededGenerator
    ) -> [PipelineConfiguration] {
        func algorithm() -> PipelineAlgorithm {
            Bool.random(using: &random) ? .commitGraph : .flatGraph
        }
        var pipelines = [idle(algorithm: algorithm())]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: break
        case 1:
            pipelines.append(
                idle("third", previousNames: ["second"], algorithm: algorithm()))
        default:
            pipelines.append(idle("second", algorithm: algorithm()))
            if Bool.random(using: &random) {
                pipelines.append(idle("third", algorithm: algorithm()))
            }
        }
        return pipelines
    }

    private mutating func reopen() async throws {
        if Bool.random(using: &random) { pipelines = Self.pipelines(&random) }
        knowsParcels = Int.random(in: 0..<3, using: &random) > 0
        queue = try await queue.reopened(
            pipelines, operations: knowsParcels ? QueueFixture.types : [Errand.self])
        model.reopen(pipelines)
    }

    private mutating func start(_ comment: Comment) async throws {
        let pipeline = pipelines.randomElement(using: &random)?.name ?? ""
        let countMax = Int.random(in: 1...4, using: &random)
        let before = model
        let started = try await queue.start(countMax, in: pipeline)
        let expected = model.start(
            countMax, in: pipeline, now: queue.date.value, parcels: knowsParcels)
        #expect(started == expected, comment)
        for id in started {
            let item = before.items.first { $0.id == id }
            #expect(item.map { before.isFree($0) && !$0.isStarted } == true, comment)
        }
    }

    private mutating func runClosure(_ comment: Comment) async throws {
        let actions = someActions()
        let outbox = queue.outbox
        var answers: [Bool]?
        var thrown: (any Error)?
        do {
            answers = try await outbox.write { queue in
                var answers: [Bool] = []
                for action in actions { try action.apply(queue, &answers) }
                return answers
            }
        } catch {
            thrown = error
        }
        do {
            let expected = try model.run(actions, now: queue.date.value)
            #expect(thrown == nil, comment)
            #expect(answers == expected, comment)
        } catch let refused as QueueModel.Refused {
            let error = thrown as? OutboxError
            #expect(error.map { refused.codes.contains($0.code) } == true, comment)
        } catch {
            #expect(thrown is ExpectedError, comment)
        }
    }

    private mutating func someActions() -> [QueueAction] {
        // As many as end, in the long run.
        let addedMax = model.items.count > 16 ? 1 : 3
        let added = (0..<Int.random(in: 0...addedMax, using: &random)).map { _ in newId() }
        var actions = added.map { id in
            let isInserted = Int.random(in: 0..<4, using: &random) == 0
            if isInserted, let other = model.items.randomElement(using: &random) {
                return QueueAction.insert(
                    id, intoGraphOf: other.id, byNumber: id.uuid.15.isMultiple(of: 2),
                    after: someIds(other.pipeline, added, id), priority: somePriority())
            }
            let pipeline = pipelines.randomElement(using: &random)?.name ?? ""
            return QueueAction.add(
                id, isParcel: knowsParcels && Int.random(in: 0..<4, using: &random) == 0,
                pipeline: pipeline, after: someIds(pipeline, added, id), priority: somePriority())
        }
        if case .insert(_, let neighbour, _, _, _) = actions.last,
            Int.random(in: 0..<3, using: &random) == 0
        {
            actions.append(.complete(neighbour))
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let action = someChange(added) else { continue }
            actions.insert(action, at: Int.random(in: 0...actions.count, using: &random))
        }
        if Int.random(in: 0..<10, using: &random) == 0 { actions.append(.fail) }
        return actions
    }

    private mutating func someChange(_ added: [UUID]) -> QueueAction? {
        let candidates = model.items.map(\.id) + added
        guard let id = candidates.randomElement(using: &random) else { return nil }
        let item = model.index(id).map { model.items[$0] }
        let date = queue.date.value + Double(Int.random(in: -5...20, using: &random))
        if item?.isStarted == true, Int.random(in: 0..<8, using: &random) > 0 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .giveBack(id, after: Double(Int.random(in: 0...1, using: &random)) * 5)
            case 1: return .skip(id)
            default: return .complete(id)
            }
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3:
            let dependencies = someIds(item?.pipeline ?? "default", added, id)
            return .modify(
                id, after: Bool.random(using: &random) ? dependencies : nil,
                priority: somePriority())
        case 4...6:
            return .hold(
                id, until: Bool.random(using: &random) ? date : nil,
                context: Bool.random(using: &random) ? "one" : "other")
        case 7: return .releaseHolds(id)
        case 8...9: return .skip(id)
        case 10...11: return .complete(id)
        case 12: return .complete(UUID())
        case 13: return .markActive(id)
        case 14: return Bool.random(using: &random) ? .giveBack(id, after: 0) : nil
        default: return nil
        }
    }

    private mutating func newId() -> UUID {
        // Sometimes one that was there before.
        if Int.random(in: 0..<6, using: &random) == 0,
            let id = model.ended.filter({ model.index($0) == nil })
                .sorted(by: { $0.uuidString < $1.uuidString }).randomElement(using: &random)
        {
            return id
        }
        var bytes: [UInt8] = []
        bytes.append(bigEndian: random.next())
        bytes.append(bigEndian: random.next())
        return UUID(bytes) ?? UUID()
    }

    private mutating func somePriority() -> Int32 { Int32.random(in: -1...1, using: &random) }

    private mutating func someIds(_ pipeline: String, _ added: [UUID], _ own: UUID) -> Set<UUID> {
        var ids: Set<UUID> = []
        while Int.random(in: 0..<2, using: &random) == 0 {
            switch Int.random(in: 0..<24, using: &random) {
            case 0: ids.formUnion(model.items.map(\.id).shuffled(using: &random).prefix(1))
            case 1: ids.formUnion(added.shuffled(using: &random).prefix(1))
            case 2: ids.insert(UUID())
            case 3...9:
                let earlier = added.prefix { $0 != own }
                ids.formUnion(earlier.shuffled(using: &random).prefix(1))
            default:
                let graph = model.items.first { $0.id == own }?.graph ?? .max
                let others = model.items.filter {
                    $0.pipeline == pipeline && $0.graph <= graph && $0.id != own
                }
                ids.formUnion(others.map(\.id).shuffled(using: &random).prefix(1))
            }
        }
        return ids
    }

    // MARK: Checks

    private func check(_ comment: Comment) throws {
        let now = queue.date.value
        for name in Set(pipelines.map(\.name) + model.items.map(\.pipeline)) {
            let items = model.queue(of: name)
            let ids = try queue.ids(in: name)
            #expect(ids == items.map(\.id), comment)
            let lists = try queue.lists(in: name)
            #expect(lists.started == items.filter(\.isStarted).map(\.id), comment)
            let free = model.free(in: name)
            let listed = lists.ready + lists.held + lists.unknown
            #expect(listed.count == free.count, comment)
            #expect(Set(listed) == Set(free.map(\.id)), comment)
            let ready = free.filter { lists.ready.contains($0.id) }
            #expect(ready.map(\.id) == lists.ready, comment)
            #expect(ready.allSatisfy { $0.isDue(now) }, comment)
            let parcels = free.filter { lists.unknown.contains($0.id) }
            #expect(parcels.allSatisfy { $0.isParcel && !knowsParcels }, comment)
        }
    }

    /// Carries out what is left: all of it comes to its end.
    private mutating func drain() async throws {
        let comment = comment("at the end")
        queue.date.advance(by: 1_000)
        knowsParcels = true
        queue = try await queue.reopened(pipelines)
        model.reopen(pipelines)
        while !model.items.isEmpty {
            for _ in pipelines { try await start(comment) }
            let started = model.items.filter(\.isStarted).map(\.id)
            for id in started where Bool.random(using: &random) {
                let wasThere = try await queue.outbox.write { try $0.complete(id) }
                #expect(wasThere, comment)
                _ = try model.run([.complete(id)], now: queue.date.value)
            }
            try check(comment)
            if started.isEmpty, model.items.allSatisfy({ !model.isFree($0) }) {
                Issue.record("\(model.items.count) operations never start. \(comment)")
                return
            }
        }
        let count = try queue.rowCount()
        #expect(count == 0, comment)
    }
}

extension QueueAction {
    /// Does it.
    func apply(_ queue: OutboxTransaction, _ answers: inout [Bool]) throws {
        switch self {
        case .add(let id, true, let pipeline, let named, let priority):
            try queue.add(
                Parcel(), id: id, pipeline: pipeline, dependencies: named, priority: priority)
        case .add(let id, false, let pipeline, let named, let priority):
            try queue.add(
                Errand(), id: id, pipeline: pipeline, dependencies: named, priority: priority)
        case .insert(let id, let neighbour, let byNumber, let named, let priority):
            if byNumber, let other = try queue.stored().operation(neighbour) {
                try queue.insert(
                    Errand(), intoGraph: other.graph, of: other.pipeline, id: id,
                    dependencies: named, priority: priority)
            } else {
                try queue.insert(
                    Errand(), intoGraphOf: neighbour, id: id, dependencies: named,
                    priority: priority)
            }
        case .modify(let id, let named, let priority):
            try queue.modify(id) { operation in
                operation.dependencies = named ?? operation.dependencies
                operation.priority = priority
            }
        case .hold(let id, let date, let context):
            try queue.hold(id, until: date, context: context)
        case .releaseHolds(let id): try queue.releaseHolds(id)
        case .complete(let id): answers.append(try queue.complete(id))
        case .skip(let id): answers.append(try queue.skip(id))
        case .giveBack(let id, let delay): try queue.giveBack(id, after: delay)
        case .markActive(let id): try queue.markActive(id)
        case .fail: throw ExpectedError()
        }
    }
}
