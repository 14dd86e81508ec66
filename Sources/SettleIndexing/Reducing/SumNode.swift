import SettleDocuments
import SettlePrimitives
import SettleStorage

/// A sum of values of one place: of the values of rows, or of one member of them.
enum SumNode: Equatable {
    case number(NumberTotal)
    case array([NumberTotal])
    case object([String: SumNode])

    /// How much a number counts when sizes are compared, whatever its digits.
    static let numberSize = 9
    /// How much an array or object counts beside what is in it.
    static let containerSize = 5

    /// A sum of nothing, of the kind that the value in the range is.
    static func empty(for content: PackedForm.Content) -> SumNode {
        switch content {
        case .array: .array([])
        case .object: .object([:])
        default: .number(NumberTotal())
        }
    }

    /// Adds the packed value that fills the range.
    ///
    /// What is not added when a fault is met stays behind half added.
    /// - Returns: The size of the value, every number counted alike.
    mutating func add(
        _ bytes: Span<UInt8>, in range: Range<Int>, depth: Int = 0
    ) throws(SumFault) -> Int {
        switch try Self.whole(bytes, in: range) {
        case .integer(let value): try addNumber(.integer(value), range)
        case .double(let value): try addNumber(.double(value), range)
        case .array(let area): return try addArray(bytes, area, range)
        case .object(let members): return try addObject(bytes, members, range, depth: depth)
        case .null, .bool, .string: throw .unfit(range)
        }
        return Self.numberSize
    }

    private mutating func addNumber(
        _ value: NumberValue, _ range: Range<Int>
    ) throws(SumFault) {
        switch self {
        case .number(var total):
            total.add(value)
            self = .number(total)
        case .array(var totals):
            self = .array([])  // so that the array has one owner and is changed in place
            if totals.isEmpty { totals.append(NumberTotal()) }
            totals[0].add(value)
            self = .array(totals)
        case .object: throw .unfit(range)
        }
    }

    private mutating func addArray(
        _ bytes: Span<UInt8>, _ area: Range<Int>, _ range: Range<Int>
    ) throws(SumFault) -> Int {
        var totals: [NumberTotal]
        switch self {
        case .number(let total): totals = [total]
        case .array(let present): totals = present
        case .object: throw .unfit(range)
        }
        self = .array([])
        var next = area.lowerBound
        var index = 0
        while next < area.upperBound {
            let (content, end) = try Self.content(bytes, in: next..<area.upperBound)
            guard let value = NumberValue(content) else { throw .unfit(range) }
            if index == totals.count { totals.append(NumberTotal()) }
            totals[index].add(value)
            index += 1
            next = end
        }
        self = .array(totals)
        return Self.containerSize + Self.numberSize * index
    }

    private mutating func addObject(
        _ bytes: Span<UInt8>, _ members: PackedMembers, _ range: Range<Int>, depth: Int
    ) throws(SumFault) -> Int {
        guard depth < PartialForm.depthMax else { throw .damaged }
        if try Self.isError(bytes, members) { throw .earlierError(range) }
        guard case .object(var sums) = self else { throw .objectAfterNumber }
        self = .object([:])
        var size = Self.containerSize
        for index in 0..<members.count {
            let (name, value) = try Self.member(index, of: members, in: bytes)
            let content = try Self.whole(bytes, in: value)
            size += 1 + name.utf8.count
            size += try sums[name, default: .empty(for: content)]
                .add(bytes, in: value, depth: depth + 1)
        }
        self = .object(sums)
        return size
    }

    /// Adds another sum, whose rows come after those of this one.
    ///
    /// - Throws: `SumMixture` when one is of objects and the other is not.
    mutating func merge(_ other: SumNode) throws(SumMixture) {
        switch other {
        case .number(let total): try merge([total], isNumber: true)
        case .array(let totals): try merge(totals, isNumber: false)
        case .object(let members):
            guard case .object(var sums) = self else { throw .objectAfterNumber }
            self = .object([:])
            for (name, member) in members {
                if let index = sums.index(forKey: name) {
                    try sums.values[index].merge(member)
                } else {
                    sums[name] = member
                }
            }
            self = .object(sums)
        }
    }

    private mutating func merge(_ others: [NumberTotal], isNumber: Bool) throws(SumMixture) {
        var totals: [NumberTotal]
        switch self {
        case .number(var total):
            if isNumber {
                total.add(others[0])
                self = .number(total)
                return
            }
            totals = [total]
        case .array(let present): totals = present
        case .object:
            throw .numberAfterObject(isNumber ? .number(others[0]) : .array(others))
        }
        self = .array([])
        for (index, other) in others.enumerated() {
            if index == totals.count { totals.append(other) } else { totals[index].add(other) }
        }
        self = .array(totals)
    }

    /// The sum as a value; nil when a number left the range of doubles.
    var json: JSONValue? {
        switch self {
        case .number(let total): return total.value?.json
        case .array(let totals):
            var elements: [JSONValue] = []
            elements.reserveCapacity(totals.count)
            for total in totals {
                guard let value = total.value else { return nil }
                elements.append(value.json)
            }
            return .array(elements)
        case .object(let sums):
            var members: [String: JSONValue] = [:]
            members.reserveCapacity(sums.count)
            for (name, sum) in sums {
                guard let value = sum.json else { return nil }
                members[name] = value
            }
            return .object(members)
        }
    }

    /// The size of the sum, every number counted alike.
    var size: Int {
        switch self {
        case .number: Self.numberSize
        case .array(let totals): Self.containerSize + Self.numberSize * totals.count
        case .object(let sums):
            sums.reduce(Self.containerSize) { $0 + 1 + $1.key.utf8.count + $1.value.size }
        }
    }
}

/// Why two sums cannot be added.
enum SumMixture: Error {
    /// An object where there were numbers or arrays before it.
    case objectAfterNumber
    /// This number or array where there were objects before it.
    case numberAfterObject(SumNode)
}

// MARK: Reading packed values

extension SumNode {
    private static func whole(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(SumFault) -> PackedForm.Content {
        do throws(PackedError) {
            return try PackedForm.whole(of: bytes, in: range)
        } catch {
            throw .damaged
        }
    }

    private static func content(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) throws(SumFault) -> (content: PackedForm.Content, end: Int) {
        do throws(PackedError) {
            return try PackedForm.content(of: bytes, in: range)
        } catch {
            throw .damaged
        }
    }

    private static func member(
        _ index: Int, of members: PackedMembers, in bytes: Span<UInt8>
    ) throws(SumFault) -> (name: String, value: Range<Int>) {
        guard let (range, value) = try? members.member(index, in: bytes) else { throw .damaged }
        var position = range.lowerBound
        guard let utf8 = bytes.copy(range.count, at: &position),
            let name = String(validating: utf8, as: UTF8.self)
        else { throw .damaged }
        return (name, value)
    }

    /// Whether the object is what `_sum` answers where it cannot add.
    private static func isError(
        _ bytes: Span<UInt8>, _ members: PackedMembers
    ) throws(SumFault) -> Bool {
        do throws(PackedError) {
            guard let range = try members.value(named: "error", in: bytes) else { return false }
            return try PackedForm.string(of: bytes, in: range) == SumStop.errorName
        } catch {
            throw .damaged
        }
    }
}
