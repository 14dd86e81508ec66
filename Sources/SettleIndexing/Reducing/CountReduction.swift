import SettleDocuments
import SettlePrimitives
import SettleStorage

/// `_count`: the number of rows.
///
/// Its partial is that number as a varint.
struct CountReduction {
    private var count: UInt64 = 0

    mutating func add() {
        count &+= 1
    }

    mutating func merge(_ partial: Span<UInt8>) throws(IndexError) {
        var position = 0
        let (sum, overflow) = count.addingReportingOverflow(
            try PartialForm.number(partial, at: &position))
        // No store holds so many rows that the result would not be an integer.
        guard !overflow, sum <= UInt64(Int64.max) else { throw PartialForm.damage }
        try PartialForm.end(partial, at: position)
        count = sum
    }

    func encode(to bytes: inout [UInt8]) {
        bytes.append(variable: count)
    }

    var result: JSONValue {
        .integer(Int64(count))
    }

    mutating func reset() {
        count = 0
    }
}
