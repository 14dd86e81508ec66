public import SettleDocuments
import SettleIndexing

extension Database {
    /// Says which documents an index has rows of; written as CouchDB's Mango selectors are.
    ///
    /// ```swift
    /// let filter: Database.IndexFilter = [
    ///     "type": ["$in": ["order", "offer"]], "amount": ["$gte": 10, "$lt": 100],
    ///     "address.city": ["$exists": true],
    /// ]
    /// ```
    ///
    /// An object of members and what holds for them, all of it together:
    ///
    /// - a value: the member equals it; `"address.city"`, or an object inside an object, leads to the
    ///   member of a member, and `\.` is a dot that belongs to a name;
    /// - `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte` with a value; values compare as keys of the index
    ///   do, so that every string is greater than every number;
    /// - `$in`, `$nin` with a list of values; of an array, one element is in the list, or none;
    /// - `$exists` with a boolean; `$type` with `null`, `boolean`, `number`, `string`, `array`, or
    ///   `object`;
    /// - `$and`, `$or`, `$nor` with a list of filters, `$not` with a filter.
    ///
    /// A member that the document lacks fulfils nothing but `{"$exists": false}`; a negated condition
    /// is the opposite condition on a member that is there. `id`, or `_id`, is the identifier.
    public struct IndexFilter: Sendable, Hashable {
        let filter: SettleIndexing.IndexFilter

        init(_ filter: SettleIndexing.IndexFilter) {
            self.filter = filter
        }

        /// The filter as it was given.
        public var json: JSONValue { filter.json }

        /// A filter from JSON.
        ///
        /// - Throws: ``DatabaseError`` with `invalidIndex` that names the member that is wrong and says
        ///   what is expected there.
        public init(json: JSONValue) throws {
            try self.init(checking: json)
        }

        /// As ``init(json:)``.
        init(checking json: JSONValue) throws(DatabaseError) {
            do {
                filter = try SettleIndexing.IndexFilter(json: json)
            } catch {
                throw DatabaseError(
                    .invalidIndex, error.sentence(about: "index filter"), cause: error)
            }
        }

        /// Whether a document passes.
        ///
        /// - Parameter document: A document, stored or not; its revision does not matter.
        /// - Returns: True when everything that the filter says holds for it. Strings are ordered as
        ///   Unicode collation has them, which is how an index orders them unless told otherwise.
        /// - Throws: ``DatabaseError`` with `invalidDocument` when a member was set to something that
        ///   JSON cannot express, `documentTooLarge` when the limits are passed.
        /// - Complexity: That of packing the document, if it is not stored as it is; only the members
        ///   that the filter names are looked at.
        public func matches(_ document: Document) throws -> Bool {
            let (id, body) = (Array(document.id.utf8), try document.packed().bytes)
            do {
                return try filter.matches(body.span, id: id.span)
            } catch {
                throw DatabaseError(error, documentId: document.id)
            }
        }

        /// A filter from JSON text.
        ///
        /// - Throws: ``/SettleDocuments/JSONError`` when the text is no JSON; otherwise as ``init(json:)``.
        public init(parsing text: String) throws {
            try self.init(json: JSONValue(jsonText: text))
        }
    }
}

extension Database.IndexFilter: ExpressibleByDictionaryLiteral {
    /// A filter from a literal.
    ///
    /// - Precondition: It is a filter; see the type.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        let json = JSONValue.object(
            Dictionary(elements) { _, _ in
                preconditionFailure("A filter names each member once; use \"$and\".")
            })
        do throws(IndexDeclarationError) {
            filter = try SettleIndexing.IndexFilter(json: json)
        } catch {
            preconditionFailure(error.sentence(about: "index filter"))
        }
    }
}

extension Database.IndexFilter: Codable {
    /// A filter from a decoder of any format that JSON fits into.
    ///
    /// - Throws: `DecodingError` when it is no filter.
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder).value
        do {
            filter = try SettleIndexing.IndexFilter(json: json)
        } catch {
            throw CodedJSON.corrupted(decoder, error.sentence(about: "index filter"))
        }
    }

    /// Encodes the JSON of the filter.
    public func encode(to encoder: any Encoder) throws {
        try CodedJSON(json).encode(to: encoder)
    }
}
