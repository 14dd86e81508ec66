import Foundation
import Settle
import SettlePrimitives
import Synchronization
import TestSupport

/// A date that a test moves on.
final class MovingDate: Sendable {
    private let current = Lock(Date(timeIntervalSince1970: 1_700_000_000.123_456))

    var date: Date { current.withLock { $0 } }

    func advance(by seconds: Double) {
        current.withLock { $0 += seconds }
    }
}

/// Writes a database of random documents, changes, deletions, attachments, and dates.
struct RandomDatabase {
    private var generator: SeededGenerator
    /// What counts as now; moves on with every change.
    let now = MovingDate()

    init(_ generator: SeededGenerator) {
        self.generator = generator
    }

    /// Makes so many changes; the last one is a saved document.
    mutating func fill(_ database: Database, changeCount: Int) async throws {
        for _ in 0..<changeCount {
            now.advance(by: Double.random(in: 0...1_000, using: &generator))
            let id = "d\(Int.random(in: 0..<changeCount / 3 + 1, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try await database.delete(documentWithId: id)
            case 1: try await database.purge(documentsWithIds: [id])
            case 2:
                let document = document(id)
                try await database.write { transaction in
                    _ = try transaction.store(document, from: "there")
                }
            case 3:
                let tombstone = "t\(Int.random(in: 0..<5, using: &generator))"
                try await database.save(document(tombstone))
                try await database.write { transaction in
                    _ = try transaction.storeDeletion(
                        ofDocumentWithId: tombstone, from: "there")
                }
            default: try await database.save(document(id))
            }
        }
        try await database.save(document("last"))
    }

    private mutating func document(_ id: String) -> Document {
        var document = Document(id: id)
        for name in ["a", "ä", "n\n\"\u{0}", "deep"].shuffled(using: &generator).prefix(3) {
            document[json: name] = value(depth: 3)
        }
        if Bool.random(using: &generator) {
            let seconds = Double.random(in: 1e10..<1e11, using: &generator)
            document.metaData.expirationDate =
                Bool.random(using: &generator) ? nil : Date(timeIntervalSince1970: seconds)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            document.attachments = attachments()
        }
        return document
    }

    private mutating func attachments() -> [DocumentAttachment] {
        let lengths = [0, 1, 65_519, 65_520, 65_521, 140_000]
        return (0..<Int.random(in: 1...3, using: &generator)).map { index in
            let length = lengths.randomElement(using: &generator) ?? 0
            let kind = UInt8.random(in: 0..<3, using: &generator)
            return DocumentAttachment(
                name: "n\(index)/ü", contentType: "text/\(kind)",
                data: Data((0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) &+ kind }))
        }
    }

    private mutating func value(depth: Int) -> JSONValue {
        let doubles = [-0.0, .leastNonzeroMagnitude, 1e308, 100]
        let strings = ["", "é", "e\u{301}", "\u{1}\\\"", "𐐷"]
        return switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(Int64.random(in: .min ... .max, using: &generator))
        case 3: .double(Double.random(in: -1e9...1e9, using: &generator))
        case 4: .double(doubles.randomElement(using: &generator) ?? 0)
        case 5: .string(strings.randomElement(using: &generator) ?? "")
        case 6: .array((0..<3).map { _ in value(depth: depth - 1) })
        default: .object(["x": value(depth: depth - 1), "members": value(depth: depth - 1)])
        }
    }
}
