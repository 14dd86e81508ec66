import SettlePrimitives
import SettleStorage

// The stored form of sums; Docs/Formats/Reductions.md has the table.
extension SumNode {
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .number(let total):
            bytes.append(PartialForm.value)
            total.append(to: &bytes)
        case .array(let totals):
            bytes.append(PartialForm.array)
            bytes.append(variable: UInt64(totals.count))
            for total in totals { total.append(to: &bytes) }
        case .object(let sums):
            bytes.append(PartialForm.object)
            bytes.append(variable: UInt64(sums.count))
            var members = sums.map { (name: Array($0.key.utf8), sum: $0.value) }
            members.sort { $0.name.lexicographicallyPrecedes($1.name) }
            for member in members {
                bytes.append(counted: member.name)
                member.sum.append(to: &bytes)
            }
        }
    }

    /// Reads a stored form and moves past it.
    init(_ bytes: Span<UInt8>, at position: inout Int, depth: Int = 0) throws(IndexError) {
        switch try PartialForm.byte(bytes, at: &position) {
        case PartialForm.value: self = .number(try NumberTotal(bytes, at: &position))
        case PartialForm.array:
            let count = try PartialForm.count(bytes, at: &position)
            var totals: [NumberTotal] = []
            for _ in 0..<count { totals.append(try NumberTotal(bytes, at: &position)) }
            self = .array(totals)
        case PartialForm.object:
            guard depth < PartialForm.depthMax else { throw PartialForm.damage }
            let count = try PartialForm.count(bytes, at: &position)
            var sums: [String: SumNode] = [:]
            var previous: [UInt8]?
            for _ in 0..<count {
                let length = try PartialForm.count(bytes, at: &position)
                guard let utf8 = bytes.copy(length, at: &position),
                    let name = String(validating: utf8, as: UTF8.self),
                    previous.map({ $0.lexicographicallyPrecedes(utf8) }) ?? true
                else { throw PartialForm.damage }
                previous = utf8
                let sum = try SumNode(bytes, at: &position, depth: depth + 1)
                // Equivalent names were one member when the partial was made.
                guard sums.updateValue(sum, forKey: name) == nil else { throw PartialForm.damage }
            }
            self = .object(sums)
        default: throw PartialForm.damage
        }
    }
}
