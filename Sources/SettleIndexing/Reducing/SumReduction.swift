import SettleDocuments

/// `_sum`: numbers, arrays of numbers element by element, objects member by member.
///
/// What it does with a value that it cannot add is CouchDB's way. Two things are Settle's, so that
/// it does not matter how rows are grouped: every value is looked at, also the first of an object's
/// member and the end of an array longer than those before it; and an object after numbers fails
/// even if their sum is 0.
struct SumReduction {
    /// The sum as long as all values are numbers, which is nearly always.
    private var total = NumberTotal()
    private var hasNumber = false
    /// Everything so far, once something was no number; `total` is not used any more then.
    private var slow: Slow?

    private struct Slow {
        var node: SumNode?
        var stop: SumStop?
        /// The size of what was taken in, every number counted alike, and how many values and
        /// partials it came in.
        var inputSize = 0
        var inputCount = 0

        mutating func tookIn(_ size: Int) {
            inputSize = inputSize.addingReportingOverflow(size).partialValue
            inputCount += 1
        }
    }

    /// Takes in a packed value; none when there are no bytes.
    mutating func add(_ tail: Span<UInt8>) throws(IndexError) {
        guard !tail.isEmpty else { return }
        guard slow == nil else { return try addSlowly(tail) }
        let number: NumberValue?
        do throws(PackedError) {
            number = try NumberValue(packed: tail)
        } catch {
            throw PartialForm.valueDamage
        }
        switch number {
        case .integer(let value)?: total.add(value)
        case .double(let value)?: total.add(value)
        case nil: return try addSlowly(tail)
        }
        hasNumber = true
    }

    private mutating func addSlowly(_ tail: Span<UInt8>) throws(IndexError) {
        var state = takeSlow()
        defer { slow = state }
        guard state.stop == nil else { return }
        do throws(SumFault) {
            var node = state.node
            state.node = nil
            if node == nil {
                guard let first = try? PackedForm.whole(of: tail, in: 0..<tail.count) else {
                    throw .damaged
                }
                node = .empty(for: first)
            }
            if let size = try node?.add(tail, in: 0..<tail.count) { state.tookIn(size) }
            state.node = node
        } catch {
            switch error {
            case .damaged: throw PartialForm.valueDamage
            case .objectAfterNumber: state.stop = .failure(SumStop.requirement)
            case .unfit(let range): state.stop = .unfit(try Self.value(tail, in: range))
            case .earlierError(let range): state.stop = .earlier(try Self.value(tail, in: range))
            }
        }
    }

    private static func value(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(IndexError) -> JSONValue {
        do throws(PackedError) {
            return try PackedForm.value(of: bytes, in: range)
        } catch {
            throw PartialForm.valueDamage
        }
    }

    /// Everything so far in the form that takes arrays and objects; `slow` is empty afterwards.
    private mutating func takeSlow() -> Slow {
        if let state = slow {
            slow = nil
            return state
        }
        var state = Slow()
        if hasNumber {
            state.node = .number(total)
            state.tookIn(SumNode.numberSize)
        }
        return state
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        var position = 0
        let kind = try PartialForm.byte(partial, at: &position)
        switch kind {
        case PartialForm.nothing: try PartialForm.end(partial, at: position)
        case PartialForm.value where slow == nil:
            let other = try NumberTotal(partial, at: &position)
            try PartialForm.end(partial, at: position)
            total.add(other)
            hasNumber = true
        case PartialForm.error:
            let error = try PartialForm.packed(partial, from: position)
            guard case .object = error else { throw PartialForm.damage }
            stop(.error(error))
        case PartialForm.failure: stop(.failure(try PartialForm.reason(partial, from: position)))
        default:
            position = 0
            let other = try SumNode(partial, at: &position)
            try PartialForm.end(partial, at: position)
            mergeSlowly(other)
        }
    }

    private mutating func stop(_ stop: SumStop) {
        var state = takeSlow()
        if state.stop == nil { state.stop = stop }
        slow = state
    }

    private mutating func mergeSlowly(_ other: SumNode) {
        var state = takeSlow()
        defer { slow = state }
        guard state.stop == nil else { return }
        state.tookIn(other.size)
        guard var node = state.node else {
            state.node = other
            return
        }
        state.node = nil
        do throws(SumMixture) {
            try node.merge(other)
            state.node = node
        } catch {
            switch error {
            case .objectAfterNumber: state.stop = .failure(SumStop.requirement)
            case .numberAfterObject(let sum):
                state.stop = sum.json.map(SumStop.unfit) ?? .failure(Self.rangeReason)
            }
        }
    }

    private static let rangeReason =
        "The sum that the _sum function makes is beyond the range of numbers; emit smaller numbers."

    /// Whether the sum grew with what it was made of; one value or partial alone does not grow.
    private mutating func checkGrowth() {
        guard let state = slow, state.stop == nil, state.inputCount > 1,
            case let size? = state.node?.size,
            ReduceLimit.isExceeded(input: state.inputSize, output: size)
        else { return }
        slow?.stop = .overflow(inputSize: state.inputSize, outputSize: size)
    }

    mutating func encode(to bytes: inout [UInt8]) {
        guard slow != nil else {
            bytes.append(hasNumber ? PartialForm.value : PartialForm.nothing)
            if hasNumber { total.append(to: &bytes) }
            return
        }
        checkGrowth()
        if let stop = slow?.stop {
            stop.append(to: &bytes)
        } else if let node = slow?.node {
            node.append(to: &bytes)
        } else {
            bytes.append(PartialForm.nothing)
        }
    }

    mutating func result() throws(IndexError) -> JSONValue {
        checkGrowth()
        switch slow?.stop {
        case .error(let value): return value
        case .failure(let reason): throw .reduceFailed(reason: reason)
        case nil: break
        }
        // Without a value the sum is 0.
        guard let value = (slow?.node ?? .number(total)).json else {
            throw .reduceFailed(reason: Self.rangeReason)
        }
        return value
    }

    mutating func reset() {
        self = SumReduction()
    }
}
