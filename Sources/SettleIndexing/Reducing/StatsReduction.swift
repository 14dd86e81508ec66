import SettleDocuments

/// `_stats`: sum, count, min, max, and sum of squares.
struct StatsReduction {
    /// The statistics as long as all values are numbers, which is nearly always.
    private var numbers: StatsNode.Statistics?
    /// The statistics when the values are arrays.
    private var arrays: StatsNode?
    /// Why there is no result; the first reason stays.
    private var failure: String?

    private var isUnused: Bool { numbers == nil && arrays == nil }

    /// Takes in a packed value; none when there are no bytes.
    mutating func add(_ tail: Span<UInt8>) throws(IndexError) {
        guard !tail.isEmpty, failure == nil else { return }
        let value: JSONValue
        do throws(PackedError) {
            if numbers != nil, let number = try NumberValue(packed: tail) {
                numbers?.add(number)
                return
            }
            value = try PackedForm.value(of: tail, in: 0..<tail.count)
        } catch {
            throw PartialForm.valueDamage
        }
        do throws(StatsFault) {
            try take(StatsNode(value, isFirst: isUnused), shownAs: value)
        } catch {
            failure = error.text
        }
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        guard !partial.isEmpty else { throw PartialForm.damage }
        switch partial[0] {
        case PartialForm.nothing: try PartialForm.end(partial, at: 1)
        case PartialForm.failure:
            let reason = try PartialForm.reason(partial, from: 1)
            if failure == nil { failure = reason }
        case PartialForm.value where numbers != nil:
            var position = 1
            let statistics = try StatsNode.Statistics(partial, at: &position)
            try PartialForm.end(partial, at: position)
            if failure == nil { numbers?.add(statistics) }
        default:
            var position = 0
            let other = try StatsNode(partial, at: &position)
            try PartialForm.end(partial, at: position)
            guard failure == nil else { return }
            do throws(StatsFault) {
                try take(other, shownAs: nil)
            } catch {
                failure = error.text
            }
        }
    }

    private mutating func take(
        _ other: StatsNode, shownAs value: JSONValue?
    ) throws(StatsFault) {
        switch other {
        case .numbers(let statistics) where isUnused: numbers = statistics
        case .array where isUnused: arrays = other
        case .numbers(let statistics) where arrays == nil: numbers?.add(statistics)
        default:
            guard var sum = node else { return }
            arrays = nil
            do throws(StatsFault) {
                try sum.add(other)
            } catch {
                if case .unfit = error, let value { throw .unfit(PartialForm.quoted(value)) }
                throw error
            }
            arrays = sum
        }
    }

    private var node: StatsNode? {
        arrays ?? numbers.map(StatsNode.numbers)
    }

    func encode(to bytes: inout [UInt8]) {
        if let failure {
            PartialForm.append(failure: failure, to: &bytes)
        } else if let node {
            node.append(to: &bytes)
        } else {
            bytes.append(PartialForm.nothing)
        }
    }

    func result() throws(IndexError) -> JSONValue {
        if let failure { throw .reduceFailed(reason: failure) }
        guard let node else { return .null }
        guard let value = node.json else {
            throw .reduceFailed(
                reason: "A sum that the _stats function makes is beyond the range of numbers; "
                    + "emit smaller numbers.")
        }
        return value
    }

    mutating func reset() {
        self = StatsReduction()
    }
}
