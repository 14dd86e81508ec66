import SettleDocuments
import SettlePrimitives
import SettleStorage

// The stored form of statistics; Docs/Formats/Reductions.md has the table.
extension StatsNode {
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .numbers(let statistics):
            bytes.append(PartialForm.value)
            statistics.append(to: &bytes)
        case .array(let nodes):
            bytes.append(PartialForm.array)
            bytes.append(variable: UInt64(nodes.count))
            for node in nodes { node.append(to: &bytes) }
        }
    }

    /// Reads a stored form and moves past it.
    init(_ bytes: Span<UInt8>, at position: inout Int, depth: Int = 0) throws(IndexError) {
        switch try PartialForm.byte(bytes, at: &position) {
        case PartialForm.value: self = .numbers(try Statistics(bytes, at: &position))
        case PartialForm.array:
            guard depth < PartialForm.depthMax else { throw PartialForm.damage }
            let count = try PartialForm.count(bytes, at: &position)
            var nodes: [StatsNode] = []
            for _ in 0..<count {
                nodes.append(try StatsNode(bytes, at: &position, depth: depth + 1))
            }
            self = .array(nodes)
        default: throw PartialForm.damage
        }
    }
}

extension StatsNode.Statistics {
    func append(to bytes: inout [UInt8]) {
        sum.append(to: &bytes)
        count.append(to: &bytes)
        min.append(to: &bytes)
        max.append(to: &bytes)
        sumOfSquares.append(to: &bytes)
    }

    init(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) {
        sum = try NumberTotal(bytes, at: &position)
        count = try NumberTotal(bytes, at: &position)
        min = try NumberValue(bytes, at: &position)
        max = try NumberValue(bytes, at: &position)
        sumOfSquares = try NumberTotal(bytes, at: &position)
    }
}

extension NumberValue {
    /// Appends the packed form.
    func append(to bytes: inout [UInt8]) {
        guard let packed = try? PackedValue(json) else {
            preconditionFailure("A number that was packed can be packed.")
        }
        bytes.append(contentsOf: packed.bytes)
    }

    /// Reads a packed number and moves past it.
    init(_ bytes: Span<UInt8>, at position: inout Int) throws(IndexError) {
        guard let (content, end) = try? PackedForm.content(of: bytes, in: position..<bytes.count),
            let number = NumberValue(content)
        else { throw PartialForm.damage }
        self = number
        position = end
    }
}
