import SettleIndexing
import TestSupport
import Testing

@testable import Settle

@Suite(.serialized) struct `An ordered list` {
    private static func key(_ number: Int) -> RowPosition {
        RowPosition(
            segment: number / 1_000,
            bytes: [UInt8(number % 1_000 / 256), UInt8(number % 1_000 % 256)])
    }

    @Test(arguments: [false, true])
    func `has what a sorted array has, after any changes`(isDescending: Bool) {
        var random = SeededGenerator(seed: isDescending ? 2 : 1)
        var list = OrderedList<Int>(isDescending: isDescending)
        var model: [Int: Int] = [:]
        for step in 0..<6_000 {
            let number = Int.random(in: 0..<2_000, using: &random)
            // First it grows, then it shrinks, so that blocks are split and go.
            let isSet = Int.random(in: 0..<10, using: &random) < (step < 3_000 ? 8 : 2)
            let value = isSet ? step : nil
            list.set(value, for: Self.key(number))
            model[number] = value
            if step.isMultiple(of: 1_500) { Self.expect(list, toHave: model) }
            #expect(list.value(for: Self.key(number)) == value, "step \(step)")
        }
        Self.expect(list, toHave: model)
        let blockCount = OrderedList<Int>.blockCountMax
        for limit in [900, blockCount + 1, blockCount, blockCount - 1, 1, 0] {
            list.truncate(to: limit)
            let kept = Self.sorted(model, isDescending).prefix(limit)
            #expect(list.map(\.value) == kept.map(\.value))
            #expect(list.count == kept.count)
        }
    }

    private static func sorted(
        _ model: [Int: Int], _ isDescending: Bool
    ) -> [(key: Int, value: Int)] {
        model.sorted { left, right in
            if left.key / 1_000 != right.key / 1_000 { return left.key < right.key }
            return isDescending ? left.key > right.key : left.key < right.key
        }
    }

    private static func expect(_ list: OrderedList<Int>, toHave model: [Int: Int]) {
        let expected = sorted(model, list.isDescending)
        #expect(list.map(\.value) == expected.map(\.value))
        #expect(list.count == model.count)
        #expect(list.first?.value == expected.first?.value)
        #expect(list.last?.value == expected.last?.value)
        #expect(
            list.blocks.allSatisfy {
                (1...OrderedList<Int>.blockCountMax).contains($0.items.count)
            })
        for position in 0...expected.count {
            let key = position < expected.count ? Self.key(expected[position].key) : nil
            if list.key(at: position) != key { Issue.record("position \(position)") }
        }
    }

    @Test func `differs from another in what a naive comparison finds`() {
        var random = SeededGenerator(seed: 3)
        for round in 0..<200 {
            var old = OrderedList<Int>(isDescending: false)
            for number in 0..<Int.random(in: 0..<900, using: &random) {
                old.set(number, for: Self.key(number))
            }
            var new = old
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let number = Int.random(in: 0..<1_000, using: &random)
                new.set(
                    Bool.random(using: &random) ? -number : nil, for: Self.key(number))
            }
            let limit = Bool.random(using: &random) ? Int.random(in: 0..<900, using: &random) : nil
            let before = Array(old.prefix(limit ?? .max))
            let after = Array(new.prefix(limit ?? .max))
            let difference = ListDifference(from: old, to: new, limit: limit, isSame: ==)
            let oldKeys = Set(before.map(\.key))
            let newKeys = Set(after.map(\.key))
            #expect(
                difference.removed.map(\.position)
                    == before.indices.filter { !newKeys.contains(before[$0].key) }, "\(round)")
            #expect(
                difference.inserted.map(\.position)
                    == after.indices.filter { !oldKeys.contains(after[$0].key) }, "\(round)")
            let isNone = ListDifference.isNone(from: old, to: new, limit: limit, isSame: ==)
            let isEqual =
                before.map(\.key) == after.map(\.key) && before.map(\.value) == after.map(\.value)
            #expect(isNone == isEqual, "\(round)")
            let values = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.value) })
            #expect(
                difference.updated.map(\.new)
                    == after.indices.filter { index in
                        values[after[index].key].map { $0 != after[index].value } ?? false
                    }, "\(round)")
        }
    }

    @Test func `looks only at blocks that were changed`() {
        var old = OrderedList<Int>(isDescending: false)
        for number in 0..<100_000 {
            let bytes = [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
            old.append(
                CollectionOfOne(.init(key: RowPosition(segment: 0, bytes: bytes), value: number)))
        }
        var new = old
        new.set(-1, for: RowPosition(segment: 0, bytes: [0, 200, 7]))
        var looks = 0
        let difference = ListDifference(from: old, to: new, limit: nil) { left, right in
            looks += 1
            return left == right
        }
        #expect(difference.updated.map(\.old) == [200 * 256 + 7])
        #expect(looks <= OrderedList<Int>.blockCountMax)
        looks = 0
        let isNone = ListDifference.isNone(from: old, to: new, limit: nil) { left, right in
            looks += 1
            return left == right
        }
        #expect(!isNone)
        #expect(looks <= OrderedList<Int>.blockCountMax)
    }

    @Test func `is the same as one whose items were set again to what they were`() {
        var old = OrderedList<Int>(isDescending: false)
        for number in 0..<1_000 { old.set(number, for: Self.key(number)) }
        var new = old
        for number in [0, 400, 999] { new.set(-1, for: Self.key(number)) }
        let differs = ListDifference.isNone(from: old, to: new, limit: nil, isSame: ==)
        #expect(!differs)
        for number in [0, 400, 999] { new.set(number, for: Self.key(number)) }
        new.set(7, for: Self.key(1_500))
        new.set(nil, for: Self.key(1_500))
        let isSame = ListDifference.isNone(from: old, to: new, limit: nil, isSame: ==)
        #expect(isSame)
        let isSameAsShorter = ListDifference.isNone(
            from: old, to: OrderedList(isDescending: false), limit: nil, isSame: ==)
        #expect(!isSameAsShorter)
    }
}
