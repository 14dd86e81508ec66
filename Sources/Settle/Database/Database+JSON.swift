public import Foundation
public import SettleDocuments
import SettleStorage

extension Transaction {
    /// Stores new documents from JSON texts: the fast way to bring in many.
    ///
    /// The texts are decoded on all cores while the ones before them are stored.
    ///
    /// - Parameters:
    ///   - texts: A JSON object each, in UTF-8.
    ///   - identifierMember: The member that holds the identifier; see
    ///     ``Document/init(json:identifierMember:limits:)-([UInt8],_,_)``.
    ///   - limits: How large and deep each may be.
    /// - Throws: ``DatabaseError`` with `invalidDocument` and the number of the text when one is no
    ///   JSON object (`cause` is the ``/SettleDocuments/JSONError``), `documentExists`, `invalidDocumentId`;
    ///   `diskFull` and the like. Throw it on: the documents before it have been stored.
    public func add(
        json texts: [[UInt8]], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) throws {
        try add(JSONBatch(texts, identifierMember: identifierMember, limits: limits))
    }

    /// Stores new documents from JSON texts; see the form that takes UTF-8.
    public func add(
        json texts: [String], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) throws {
        try add(
            json: texts.map { Array($0.utf8) }, identifierMember: identifierMember, limits: limits)
    }

    /// Stores new documents from JSON texts; see the form that takes UTF-8.
    public func add(
        json texts: [Data], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) throws {
        try add(json: texts.map { [UInt8]($0) }, identifierMember: identifierMember, limits: limits)
    }

    /// Stores every document of a batch.
    func add(_ batch: JSONBatch) throws {
        try DatabaseError.translating { try batch.forEach { try add($0) } }
    }
}

extension Database {
    /// Stores new documents from JSON texts in one transaction; see
    /// ``Transaction/add(json:identifierMember:limits:)-([String],_,_)``.
    ///
    /// - Parameters:
    ///   - texts: A JSON object each, in UTF-8.
    ///   - identifierMember: The member that holds the identifier.
    ///   - limits: How large and deep each may be.
    /// - Throws: As the method of the transaction; nothing is stored then.
    public func add(
        json texts: [[UInt8]], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) async throws {
        // Decoding begins here, while others may still write.
        let batch = JSONBatch(texts, identifierMember: identifierMember, limits: limits)
        try await write { try $0.add(batch) }
    }

    /// Stores new documents from JSON texts in one transaction; see the form that takes UTF-8.
    public func add(
        json texts: [String], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) async throws {
        try await add(
            json: texts.map { Array($0.utf8) }, identifierMember: identifierMember, limits: limits)
    }

    /// Stores new documents from JSON texts in one transaction; see the form that takes UTF-8.
    public func add(
        json texts: [Data], identifierMember: String = "id", limits: JSONLimits = JSONLimits()
    ) async throws {
        try await add(
            json: texts.map { [UInt8]($0) }, identifierMember: identifierMember, limits: limits)
    }
}
