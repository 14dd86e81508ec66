/// Which documents are changed next, the same for each engine: their amounts grow by 1.
struct AmountChanges {
    /// What is changed in one commit.
    struct Round {
        let identifiers: [String]
        /// The sum of all amounts afterwards.
        let total: Int
    }

    private static let documentCount = 100

    private let count: Int
    private let roundCount: Int
    private var total: Int
    private var numbers = RandomNumbers(seed: 100)

    init(_ bench: Bench, total: Int) {
        count = bench.size.indexCounts.middle
        roundCount = bench.size.updateCount
        self.total = total
    }

    /// The rounds of one repetition, none of which changes a document of another.
    mutating func next() -> [Round] {
        var picks: Set<Int> = []
        return (0..<roundCount).map { _ in
            var identifiers: [String] = []
            while identifiers.count < Self.documentCount {
                let pick = numbers.number(below: count)
                guard picks.insert(pick).inserted else { continue }
                identifiers.append(DocumentGenerator.identifier(pick))
            }
            total += identifiers.count
            return Round(identifiers: identifiers, total: total)
        }
    }
}
