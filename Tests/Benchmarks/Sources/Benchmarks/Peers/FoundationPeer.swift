import Foundation

/// What a Swift program does with JSON when it has nothing but Foundation.
struct FoundationPeer {
    static let name = "foundation"

    private let texts: [Data]

    init(_ documents: DocumentSet) {
        texts = documents.texts.map { Data($0) }
    }

    /// Parses every text into dictionaries.
    ///
    /// - Returns: How many members there were, so that nothing is optimised away.
    func parse() throws -> Int {
        var count = 0
        for text in texts {
            count += (try JSONSerialization.jsonObject(with: text) as? [String: Any])?.count ?? 0
        }
        return count
    }

    /// Decodes every text into a record.
    func decode() throws -> FieldSums {
        let decoder = JSONDecoder()
        return try texts.reduce(into: FieldSums()) { sums, text in
            sums.add(try decoder.decode(OrderRecord.self, from: text))
        }
    }
}

extension FieldSums {
    /// Adds what is in a record.
    mutating func add(_ record: OrderRecord) {
        count += 1
        amounts += record.amount
        textBytes += record.type.utf8.count
    }
}
