import SettleIndexing
import TestSupport
import Testing

@testable import Settle

@Suite(.serialized) struct `A window on a list` {
    /// The list itself, which the window only sees in part.
    private struct Model {
        var items: [Int: Int] = [:]
        /// How often something was read.
        var readCount = 0

        static func key(_ number: Int) -> RowPosition {
            RowPosition(segment: 0, bytes: [UInt8(number >> 8), UInt8(number & 255)])
        }

        mutating func read(
            after key: RowPosition?, skip: Int, count: Int?
        ) -> [OrderedList<Int>.Item] {
            readCount += 1
            let rest = items.sorted { $0.key < $1.key }
                .map { OrderedList<Int>.Item(key: Self.key($0.key), value: $0.value) }
                .filter { item in key.map { $0.precedes(item.key, isDescending: false) } ?? true }
                .dropFirst(skip)
            return Array(rest.prefix(count ?? .max))
        }

        func answer(skip: Int, limit: Int?) -> [Int] {
            Array(
                items.sorted { $0.key < $1.key }.map(\.value).dropFirst(skip)
                    .prefix(limit ?? .max))
        }
    }

    @Test(
        arguments: [(0, nil), (0, 1), (0, 5), (3, nil), (3, 4), (50, 2), (0, 60)]
            as [(Int, Int?)])
    func `shows what the list has there, after any changes`(skip: Int, limit: Int?) {
        var random = SeededGenerator(seed: UInt64(skip * 100 + (limit ?? 77)))
        var model = Model()
        var window = ListWindow<Int>(skip: skip, limit: limit, isDescending: false)
        load(&window, &model)
        // What somebody was told of last.
        var told = model.answer(skip: skip, limit: limit)
        window.commit()
        for step in 0..<3_000 {
            var changes: [(key: RowPosition, value: Int?)] = []
            for _ in 0..<Int.random(in: 1..<4, using: &random) {
                let number = Int.random(in: 0..<300, using: &random)
                // Some values are those of before.
                let value: Int? =
                    switch Int.random(in: 0..<9, using: &random) {
                    case ..<3: nil
                    case ..<6: step
                    default: model.items[number]
                    }
                model.items[number] = value
                changes.removeAll { $0.key == Model.key(number) }
                changes.append((Model.key(number), value))
            }
            var isKnown = true
            switch window.apply(changes) {
            case .nothing: break
            case .all:
                isKnown = false
                load(&window, &model)
            case .items(let place, let count):
                let read = model.read(after: place, skip: 0, count: count)
                window.extend(with: read, isComplete: read.count < count)
            }
            let shown = window.items.prefix(limit ?? .max).map(\.value)
            #expect(shown == model.answer(skip: skip, limit: limit), "step \(step)")
            switch window.difference {
            case .none: #expect(shown == told, "step \(step)")
            case .some: #expect(shown != told, "step \(step)")
            // Only what was read anew has to be compared.
            case .unknown: #expect(!isKnown, "step \(step)")
            }
            told = shown
            window.commit()
        }
        if skip == 0 {
            // Most changes need no reading.
            #expect(model.readCount < 300)
        }
    }

    /// Every single change of every small list, with every limit.
    @Test func `knows whether a change shows`() {
        for mask in 0..<64 {
            let items: [OrderedList<Int>.Item] = (0..<6).filter { mask >> $0 & 1 == 1 }
                .map { .init(key: Model.key($0), value: 0) }
            for (number, value) in (0..<6).flatMap({ n in [nil, 0, 1].map { (n, $0) } }) {
                for limit in [nil, 0, 1, 2, 3, 5] as [Int?] {
                    var window = ListWindow<Int>(skip: 0, limit: limit, isDescending: false)
                    window.load(items, isComplete: true)
                    window.commit()
                    let before = Self.shown(window)
                    let need = window.apply([(Model.key(number), value)])
                    let after = Self.shown(window)
                    let isRight = window.difference == (before == after ? .none : .some)
                    if isRight, need == .nothing { continue }
                    Issue.record(
                        "of \(mask), \(number) to \(value ?? -1), limit \(limit ?? -1)")
                }
            }
        }
    }

    private static func shown(_ window: ListWindow<Int>) -> [[Int]] {
        window.items.prefix(window.limit ?? .max).map { [Int($0.key.bytes[1]), $0.value] }
    }

    private func load(_ window: inout ListWindow<Int>, _ model: inout Model) {
        let read = model.read(after: nil, skip: window.skip, count: window.wantedCount)
        window.load(read, isComplete: window.wantedCount.map { read.count < $0 } ?? true)
    }
}
