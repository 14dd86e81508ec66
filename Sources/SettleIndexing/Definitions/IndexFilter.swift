package import SettleDocuments

/// Says which documents an index has rows of: a subset of CouchDB's Mango selectors.
///
/// An object of members and conditions, all of which must hold:
///
/// - `{"type": "order"}`, `{"address": {"city": "Rome"}}`, `{"address.city": "Rome"}`: equality; a
///   dot that is part of a name is written `\.`;
/// - `{"amount": {"$gt": 5, "$lte": 9}}` with `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`: values
///   compare as keys of an index do, so that every string is greater than every number;
/// - `$in`, `$nin` with a list of values; of an array, one element must be in the list, or none;
/// - `$exists` with a boolean, `$type` with `null`, `boolean`, `number`, `string`, `array`, `object`;
/// - `$and`, `$or`, `$nor` with a list of at least one filter, `$not` with a filter.
///
/// A member that is absent fulfils no condition but `{"$exists": false}`, nor does it make a negated
/// one true: `$not` and `$nor` turn the conditions inside them round, so that
/// `{"$not": {"amount": {"$gt": 5}}}` means `{"amount": {"$lte": 5}}`. A path that leads through
/// something that is no object counts as absent. `id`, or `_id`, is the identifier, compared by
/// its bytes.
///
/// > Source: `mango_selector.erl` of Apache CouchDB 3. It differs in three ways: there, a path
/// > through a scalar does not fulfil `{"$exists": false}`, paths lead into arrays by number, and
/// > empty lists are allowed.
package struct IndexFilter: Sendable {
    /// The filter as it was given.
    package let json: JSONValue

    private let identifier: IdentifierName
    private let condition: IndexFilterCondition

    /// A filter from JSON.
    ///
    /// - Throws: ``IndexDeclarationError`` that names the member and says what is expected.
    package init(json: JSONValue) throws(IndexDeclarationError) {
        try self.init(json, comparing: .unicode, identifier: .own)
    }

    private init(
        _ json: JSONValue, comparing strings: Collator.Strings, identifier: IdentifierName
    ) throws(IndexDeclarationError) {
        self.json = json
        self.identifier = identifier
        condition = try IndexFilterReader(strings: strings, identifier: identifier)
            .condition(of: json)
    }

    /// The filter that orders strings in that way; a filter from JSON orders them by Unicode.
    package func comparing(_ strings: Collator.Strings) -> IndexFilter {
        reread(comparing: strings, identifier: identifier)
    }

    /// The filter that calls the identifier so; it orders strings by Unicode.
    package func calling(_ identifier: IdentifierName) -> IndexFilter {
        identifier == self.identifier
            ? self : reread(comparing: .unicode, identifier: identifier)
    }

    private func reread(
        comparing strings: Collator.Strings, identifier: IdentifierName
    ) -> IndexFilter {
        do throws(IndexDeclarationError) {
            return try IndexFilter(json, comparing: strings, identifier: identifier)
        } catch {
            preconditionFailure("What was a filter once is one again: \(error)")
        }
    }

    /// Whether a document passes.
    ///
    /// Reads the members that the filter names, where they lie, and no others.
    ///
    /// - Parameters:
    ///   - body: The packed members of the document.
    ///   - id: Its identifier.
    /// - Returns: True when it passes.
    /// - Throws: `PackedError` when something it touches is damaged.
    package func matches(_ body: Span<UInt8>, id: Span<UInt8>) throws(PackedError) -> Bool {
        try condition.holds(for: body, id: id)
    }
}

extension IndexFilter: Hashable {
    /// Whether both were given by the same JSON.
    package static func == (left: IndexFilter, right: IndexFilter) -> Bool {
        left.json == right.json
    }

    /// Feeds the filter to a hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }
}
