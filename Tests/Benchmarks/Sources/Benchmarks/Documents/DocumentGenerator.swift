/// Makes the documents that every engine gets: about 298 bytes of JSON each, the same in each run.
struct DocumentGenerator {
    private static let seed: UInt64 = 20_261_121
    private static let types = ["contact", "invoice", "order", "payment", "task"]
    private static let tags = [
        "archived", "billing", "customer", "draft", "export", "import", "overdue", "private",
        "public", "review", "shipping", "urgent",
    ]
    private static let words = [
        "adventure", "anchor", "blackbird", "candlelight", "copperplate", "evergreen", "garden",
        "harbour", "island", "landscape", "lantern", "marketplace", "meadowland", "midsummer",
        "moonlight", "orchard", "paperback", "pepper", "riverside", "silverware", "sunflower",
        "thunderstorm", "waterfall", "willow", "winter",
    ]

    private let cities: [String]
    private var numbers: RandomNumbers

    init() {
        var numbers = RandomNumbers(seed: Self.seed)
        let syllables = ["ba", "ca", "da", "fa", "ka", "lo", "mo", "na", "ri", "sa", "to", "vu"]
        cities = (0..<50).map { _ in
            (0..<4).map { _ in numbers.element(of: syllables) }.joined().capitalizedFirst
        }
        self.numbers = numbers
    }

    /// A document and what is known of it.
    struct Made {
        let identifier: String
        let text: [UInt8]
        let facts: DocumentFacts
    }

    /// The next document; its number goes into its identifier.
    mutating func document(_ number: Int) -> Made {
        let identifier = Self.identifier(number)
        let type = numbers.element(of: Self.types)
        let name = (0..<13).map { _ in numbers.element(of: Self.words) }.joined(separator: " ")
        let amount = numbers.number(below: 1_000)
        let city = numbers.element(of: cities)
        var tags = Self.tags
        let chosen = (0..<3).map { _ in tags.remove(at: numbers.number(below: tags.count)) }
        let text = """
            {"id":"\(identifier)","type":"\(type)","name":"\(name)","createdAt":"\(date())",\
            "amount":\(amount),"tags":["\(chosen[0])","\(chosen[1])","\(chosen[2])"],\
            "address":{"city":"\(city)","zip":"\(Self.digits(numbers.number(below: 100_000), 5))"}}
            """
        let facts = DocumentFacts(
            place: Place(type: type, city: city), amount: amount, nameLength: name.utf8.count)
        return Made(identifier: identifier, text: Array(text.utf8), facts: facts)
    }

    /// The identifier of the document of a number.
    static func identifier(_ number: Int) -> String { "doc" + digits(number, 8) }

    /// Makes documents a few at a time, so that a million of them need little memory.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - body: Takes up to ten thousand at a time, in their order.
    /// - Throws: What `body` throws.
    static func forEachBatch(
        of count: Int, _ body: (DocumentSet) async throws -> Void
    ) async throws {
        var generator = DocumentGenerator()
        for start in stride(from: 0, to: count, by: 10_000) {
            let end = min(start + 10_000, count)
            try await body(DocumentSet((start..<end).map { generator.document($0) }))
        }
    }

    private mutating func date() -> String {
        let year = 2020 + numbers.number(below: 6)
        let month = Self.digits(1 + numbers.number(below: 12), 2)
        let day = Self.digits(1 + numbers.number(below: 28), 2)
        let time = (Self.digits(numbers.number(below: 24), 2), numbers.number(below: 3_600))
        let (minute, second) = (Self.digits(time.1 / 60, 2), Self.digits(time.1 % 60, 2))
        return "\(year)-\(month)-\(day)T\(time.0):\(minute):\(second)Z"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

extension String {
    /// The text with a capital letter in front.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
