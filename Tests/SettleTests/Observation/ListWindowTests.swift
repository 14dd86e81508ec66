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

        static func key(_ number: Int) -> ItemKey {
            ItemKey(segment: 0, bytes: [UInt8(number >> 8), UInt8(number & 255)])
        }

        mutating func read(
            after key: ItemKey?, skip: Int, count: Int?
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
        for step in 0..<3_000 {
            var changes: [(key: ItemKey, value: Int?)] = []
            for _ in 0..<Int.random(in: 1..<4, using: &random) {
                let number = Int.random(in: 0..<300, using: &random)
                let value = Int.random(in: 0..<9, using: &random) < 4 ? nil : step
                model.items[number] = value
                changes.removeAll { $0.key == Model.key(number) }
                changes.append((Model.key(number), value))
            }
            switch window.apply(changes) {
            case .nothing: break
            case .all: load(&window, &model)
            case .items(let place, let count):
                let read = model.read(after: place, skip: 0, count: count)
                window.extend(with: read, isComplete: read.count < count)
            }
            let shown = window.items.prefix(limit ?? .max).map(\.value)
            #expect(shown == model.answer(skip: skip, limit: limit), "step \(step)")
        }
        if skip == 0 {
            // Most changes need no reading.
            #expect(model.readCount < 300)
        }
    }

    private func load(_ window: inout ListWindow<Int>, _ model: inout Model) {
        let read = model.read(after: nil, skip: window.skip, count: window.wantedCount)
        window.load(read, isComplete: window.wantedCount.map { read.count < $0 } ?? true)
    }
}
