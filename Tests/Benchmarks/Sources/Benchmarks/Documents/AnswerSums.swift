/// A check sum over the answer of an index: its keys, its values, and their order.
struct AnswerSums: Sendable, Equatable, CustomStringConvertible {
    /// How many rows there were.
    private(set) var count = 0
    /// The sum of the values.
    private(set) var amounts = 0
    /// The sum of the values, each multiplied by its place in the answer, from 1.
    private(set) var placedAmounts = 0
    /// The bytes of UTF-8 in the texts of the keys.
    private(set) var keyBytes = 0

    /// Adds the next row.
    mutating func add(amount: Int, keyBytes bytes: Int) {
        count += 1
        amounts += amount
        placedAmounts += amount * count
        keyBytes += bytes
    }

    var description: String {
        "\(count) rows, amounts \(amounts), by place \(placedAmounts), keys \(keyBytes) bytes"
    }
}
