package import Foundation
package import Settle

/// A database of numbered documents, and an index over them by a closure.
package enum NumberDatabase {
    /// The name of the index.
    package static let indexName = "byNumber"

    /// What a document says of itself to a map function that minds it.
    package enum Manner: String, Sendable {
        /// The map function ends the process.
        case trap
        /// The map function tells that it has the document, and never returns.
        case hold
    }

    /// How the database is opened.
    ///
    /// - Parameters:
    ///   - folder: The folder it lies in.
    ///   - index: The index; nil for none.
    /// - Returns: The configuration.
    package static func configuration(
        in folder: URL, index: Database.Index? = nil
    ) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(
            name: "numbers", fileLocation: folder, indexes: index.map { [$0] } ?? [],
            completionQueue: DispatchQueue(label: "numbers"))
    }

    /// The number of groups of rows.
    package static let groupCount = 97

    /// The index over the numbers: rows `[group, number]` with a text of the document's size.
    ///
    /// - Parameters:
    ///   - version: Another version has the index rebuilt.
    ///   - mind: Told of every numbered document before its row is added.
    /// - Returns: The index.
    package static func index(
        version: String, mind: @escaping @Sendable (Document) -> Void = { _ in }
    ) -> Database.Index {
        Database.Index(name: indexName, version: version, builtInReduce: .count) {
            document, addIndexRow in
            guard let number = document["n"] as? Int else { return }
            mind(document)
            let text = (document["size"] as? Int).map { String(repeating: "x", count: $0) }
            addIndexRow([number % groupCount, number], text)
        }
    }

    /// The document of a number.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - size: The length of the text in its row.
    ///   - manner: What the document says of itself.
    /// - Returns: The document.
    package static func document(
        _ number: Int, size: Int? = nil, manner: Manner? = nil
    ) -> Document {
        var document = Document(id: "\(1_000_000 + number)")
        document["n"] = number
        if let size { document["size"] = size }
        if let manner { document["manner"] = manner.rawValue }
        return document
    }
}
