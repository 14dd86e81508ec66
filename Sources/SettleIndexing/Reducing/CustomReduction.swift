import SettleDocuments

/// A reduce function of the application.
///
/// Rows are gathered and given to it 100 at a time, its results are given to it again 100 at a
/// time, so that memory stays bounded. A partial that was merged always goes through a rereduce,
/// even alone: whether a result is reduced again must not depend on the chunk boundaries. Rows that are
/// reduced directly are given to it in one call.
///
/// The partial is `01` and the packed result, or `05` and the reason of a failure.
struct CustomReduction {
    /// The most results that one call is given, and the most rows unless they are reduced directly.
    static let countMax = 100

    private let function: IndexReducer.Function
    private let rowCountMax: Int
    private var keys: [JSONValue] = []
    private var values: [JSONValue?] = []
    private var rowSize = 0
    /// Results by how many rereduces they went through; later rows stand in lower levels.
    private var levels: [Level] = []
    /// Why there is no result; the first reason stays.
    private var failure: String?

    private struct Level {
        var results: [JSONValue] = []
        var size = 0
        /// Whether a result among them comes from a partial and has seen no rereduce here.
        var isUnproven = false

        mutating func append(_ result: JSONValue, size: Int) {
            results.append(result)
            self.size += size
        }
    }

    /// A reduction by a function.
    ///
    /// - Parameters:
    ///   - function: The function.
    ///   - rowCountMax: The most rows that one call is given.
    init(_ function: @escaping IndexReducer.Function, rowCountMax: Int = countMax) {
        self.function = function
        self.rowCountMax = rowCountMax
    }

    mutating func add(head: Span<UInt8>, tail: Span<UInt8>) throws(IndexError) {
        guard failure == nil else { return }
        do throws(PackedError) {
            keys.append(try PackedForm.value(of: head, in: 0..<head.count))
            values.append(
                tail.isEmpty ? nil : try PackedForm.value(of: tail, in: 0..<tail.count))
        } catch {
            throw PartialForm.valueDamage
        }
        rowSize += head.count + tail.count
        if keys.count == rowCountMax { closeRows() }
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        var position = 0
        switch try PartialForm.byte(partial, at: &position) {
        case PartialForm.value:
            let result = try PartialForm.packed(partial, from: position)
            closeRows()
            take(result, size: partial.count - position, isUnproven: true)
        case PartialForm.failure:
            let reason = try PartialForm.reason(partial, from: position)
            closeRows()
            fail(reason)
        default: throw PartialForm.damage
        }
    }

    mutating func encode(to bytes: inout [UInt8]) {
        guard let result = finish(), let packed = try? PackedValue(result) else {
            PartialForm.append(failure: failure ?? Self.unknown, to: &bytes)
            return
        }
        bytes.append(PartialForm.value)
        bytes.append(contentsOf: packed.bytes)
    }

    mutating func result() throws(IndexError) -> JSONValue {
        guard let result = finish() else {
            throw .reduceFailed(reason: failure ?? Self.unknown)
        }
        return result
    }

    mutating func reset() {
        self = CustomReduction(function, rowCountMax: rowCountMax)
    }

    private static let unknown = "The reduce function gave no result."

    /// The result for everything; nil when there is a failure.
    private mutating func finish() -> JSONValue? {
        closeRows()
        var last = Level()
        for level in levels where failure == nil {
            var inputs = level
            for result in last.results { inputs.results.append(result) }
            inputs.size += last.size
            inputs.isUnproven = inputs.isUnproven || last.isUnproven
            last = inputs
            guard inputs.results.count > 1 || inputs.isUnproven else { continue }
            guard let (result, size) = call([], inputs.results, true, inputs.size) else { break }
            last = Level(results: [result], size: size)
        }
        guard failure == nil else { return nil }
        // Kept, so that asking again costs no call.
        levels = [last]
        return last.results.first
    }

    private mutating func closeRows() {
        guard !keys.isEmpty else { return }
        let size = rowSize
        let outcome = call(keys, values, false, size)
        keys.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        rowSize = 0
        if let (result, size) = outcome { take(result, size: size, isUnproven: false) }
    }

    private mutating func take(_ result: JSONValue, size: Int, isUnproven: Bool) {
        guard failure == nil else { return }
        if levels.isEmpty { levels.append(Level()) }
        levels[0].append(result, size: size)
        if isUnproven { levels[0].isUnproven = true }
        var index = 0
        while levels[index].results.count == Self.countMax {
            let full = levels[index]
            levels[index] = Level()
            guard let (result, size) = call([], full.results, true, full.size) else { return }
            index += 1
            if index == levels.count { levels.append(Level()) }
            levels[index].append(result, size: size)
        }
    }

    /// Calls the function; nil when that failed, and the failure is noted.
    private mutating func call(
        _ keys: [JSONValue], _ values: [JSONValue?], _ rereduce: Bool, _ inputSize: Int
    ) -> (result: JSONValue, size: Int)? {
        guard failure == nil else { return nil }
        let result: JSONValue
        do {
            result = try function(keys, values, rereduce)
        } catch {
            fail("The reduce function threw an error: \(error)")
            return nil
        }
        do throws(PackedError) {
            let size = try PackedValue(result).bytes.count
            if ReduceLimit.isExceeded(input: inputSize, output: size) {
                fail(ReduceLimit.reason(inputSize, size))
                return nil
            }
            return (result, size)
        } catch {
            fail("The reduce function returned a value that cannot be stored: \(error)")
            return nil
        }
    }

    private mutating func fail(_ reason: String) {
        guard failure == nil else { return }
        failure = PartialForm.shortened(reason, to: PartialForm.reasonMax)
        levels = []
    }
}
