/// What the generator knows of a document, to check what the engines return.
struct DocumentFacts: Sendable {
    let place: Place
    let amount: Int
    let nameLength: Int
}

/// What must come out when documents are read, whatever the engine: a check sum.
struct FieldSums: Codable, Sendable, Equatable, CustomStringConvertible {
    /// How many documents there were.
    var count = 0
    /// The sum of the members `amount`.
    var amounts = 0
    /// The bytes of UTF-8 in the texts that were read.
    var textBytes = 0

    /// Adds what a walk finds in a document that looks at `type` and `amount`.
    mutating func addScanned(_ facts: DocumentFacts) {
        count += 1
        amounts += facts.amount
        textBytes += facts.place.type.utf8.count
    }

    var description: String { "\(count) documents, amounts \(amounts), text \(textBytes) bytes" }
}

/// Documents in the order of their identifiers, in the shapes in which the engines take them.
struct DocumentSet: Sendable {
    let identifiers: [String]
    let texts: [[UInt8]]
    let facts: [DocumentFacts]

    /// The first documents that the generator makes.
    init(count: Int) {
        var generator = DocumentGenerator()
        self.init((0..<count).map { generator.document($0) })
    }

    /// Documents as the generator made them.
    init(_ made: [DocumentGenerator.Made]) {
        identifiers = made.map(\.identifier)
        texts = made.map(\.text)
        facts = made.map(\.facts)
    }

    private init(_ set: DocumentSet, _ range: Range<Int>) {
        identifiers = Array(set.identifiers[range])
        texts = Array(set.texts[range])
        facts = Array(set.facts[range])
    }

    /// The first of these documents.
    func prefix(_ count: Int) -> DocumentSet { DocumentSet(self, 0..<min(count, self.count)) }

    var count: Int { texts.count }

    /// The bytes of the JSON texts together.
    var byteCount: Int { texts.reduce(0) { $0 + $1.count } }

    /// The texts as strings, as SQLite takes them.
    var strings: [String] { texts.map { String(decoding: $0, as: UTF8.self) } }

    /// What a walk over all documents finds that looks at `type` and `amount`.
    var scanSums: FieldSums {
        facts.reduce(into: FieldSums()) { $0.addScanned($1) }
    }

    /// What reading some documents finds that looks at `name`, `amount`, and `address.city`.
    func readSums(_ picks: [Int]) -> FieldSums {
        picks.reduce(into: FieldSums()) { sums, pick in
            sums.count += 1
            sums.amounts += facts[pick].amount
            sums.textBytes += facts[pick].nameLength
            sums.textBytes += facts[pick].place.city.utf8.count
        }
    }

    /// Numbers of documents, chosen at random, the same in each run.
    func picks(_ count: Int) -> [Int] {
        var numbers = RandomNumbers(seed: 7)
        return (0..<count).map { _ in numbers.number(below: self.count) }
    }
}
