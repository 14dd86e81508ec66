/// The rows that the index of places has of one type, by city, and what single changes make of them.
struct TypeRows: Sendable {
    private struct Row {
        let identifier: String
        let keyBytes: Int
        var amount: Int
    }

    let type: String
    private let rows: [Row]

    /// The rows of the type of the first document.
    ///
    /// - Parameters:
    ///   - documents: All documents, in the order of their identifiers; at least one.
    ///   - rowLimit: How many rows to look at, from the first city on; nil for all.
    init(_ documents: DocumentSet, rowLimit: Int?) {
        let type = documents.facts[0].place.type
        let numbers = documents.facts.indices.filter { documents.facts[$0].place.type == type }
            .sorted {
                (documents.facts[$0].place.city, $0) < (documents.facts[$1].place.city, $1)
            }
        self.type = type
        rows = numbers.prefix(rowLimit ?? .max).map { number in
            let (identifier, facts) = (documents.identifiers[number], documents.facts[number])
            return Row(
                identifier: identifier,
                keyBytes: type.utf8.count + facts.place.city.utf8.count + identifier.utf8.count,
                amount: facts.amount)
        }
    }

    var count: Int { rows.count }

    /// Documents of these rows at random, the same in each run, to raise one after the other.
    func picks(_ count: Int) -> [String] {
        var numbers = RandomNumbers(seed: 10_000)
        return (0..<count).map { _ in numbers.element(of: rows).identifier }
    }

    /// The rows, with identifiers, once the amount of each of these documents was raised by 1.
    func sums(raising picks: [String]) -> AnswerSums {
        var raises: [String: Int] = [:]
        for pick in picks { raises[pick, default: 0] += 1 }
        return rows.reduce(into: AnswerSums()) {
            $0.add(
                amount: $1.amount + raises[$1.identifier, default: 0], keyBytes: $1.keyBytes)
        }
    }
}
