package import SettleDocuments

/// What is asked of an index.
///
/// The options are CouchDB's, and so is the rule that `descending` comes before the range: in a
/// descending query the start is the high end.
package struct IndexQuery: Sendable, Equatable {
    /// Which rows are meant.
    package enum Selection: Sendable, Equatable {
        /// All rows from a start to an end; nil stands for the first or last row there is.
        case range(start: KeyBound?, end: KeyBound?)
        /// The rows of each key, in the order of the list, repeats kept.
        case keys([JSONValue])
    }

    /// One end of a range.
    package struct KeyBound: Sendable, Equatable {
        /// The key.
        package var key: JSONValue
        /// Narrows the bound to this document among the rows with an equal key.
        package var documentID: String?
        /// False to leave out the rows with the key itself (or, with a document, that document's).
        package var isInclusive: Bool
        /// Above 0 when all keys that begin with the key count as the key itself.
        ///
        /// See ``Collator/prefix(for:level:)``. The document is not looked at then.
        package var prefixLevel: Int

        /// A bound.
        package init(
            key: JSONValue, documentID: String? = nil, isInclusive: Bool = true,
            prefixLevel: Int = 0
        ) {
            self.key = key
            self.documentID = documentID
            self.isInclusive = isInclusive
            self.prefixLevel = prefixLevel
        }
    }

    /// How the rows are summed up.
    package enum Summary: Sendable, Equatable {
        /// Not at all: the rows themselves.
        case rows
        /// One row for all.
        case total
        /// One row for each different key.
        case exactKeys
        /// One row for each different start of this many elements, for keys that are arrays;
        /// other keys count whole.
        case firstElements(Int)
    }

    /// Which rows.
    package var selection: Selection
    /// True to go from the high end to the low one.
    package var isDescending: Bool
    /// How many result rows to pass over.
    package var skip: Int
    /// The most result rows; nil for all.
    package var limit: Int?
    /// How to sum up; anything but `rows` needs an index that has a reducer.
    package var summary: Summary

    /// A question; by default for all rows, ascending.
    package init(
        selection: Selection = .range(start: nil, end: nil), isDescending: Bool = false,
        skip: Int = 0, limit: Int? = nil, summary: Summary = .rows
    ) {
        self.selection = selection
        self.isDescending = isDescending
        self.skip = skip
        self.limit = limit
        self.summary = summary
    }
}

extension IndexQuery.Summary {
    /// How many bytes the row keys of a row's group have in common; nil when the key is damaged.
    func groupLength(of key: Span<UInt8>) -> Int? {
        if case .firstElements(let count) = self,
            let length = CollationKey.groupLength(of: key, elements: count)
        {
            return length
        }
        return CollationKey.end(in: key, at: 0)
    }
}

/// The answer to a query.
package struct IndexResult: Sendable, Equatable {
    /// The rows asked for, in order.
    package var rows: [IndexRow] = []
    /// The number of all rows of the index; nil for rows that sum up.
    package var totalRows: Int?
    /// How many rows of the index, in the direction of the query, stand before the first one that
    /// was asked for; nil for a list of keys and for rows that sum up.
    package var offset: Int?
}

/// One row of an answer.
///
/// Small, whatever the row holds: neighbouring rows share what they were read from (``RowPage``),
/// and as long as one of them is kept, so is that.
package struct IndexRow: Sendable, Equatable {
    private let page: RowPage
    private let number: Int

    /// A row of a page.
    init(_ page: RowPage, _ number: Int) {
        self.page = page
        self.number = number
    }

    /// A row that is stored nowhere.
    package init(documentID: String?, key: JSONValue?, value: JSONValue?) {
        let id = Array((documentID ?? "").utf8)
        let row = RowPage.Row(id: documentID.map { _ in id.indices }, key: 0, value: value)
        self.init(RowPage([row], keys: [key], bytes: id), 0)
    }

    /// The document the row was emitted for; nil for a row that sums up.
    package var documentID: String? { page.documentID(of: number) }
    /// The emitted key, or the key of the group; nil for the one row over everything.
    package var key: JSONValue? { page.key(of: number) }
    /// The emitted or reduced value; nil when the map gave none.
    package var value: JSONValue? { page.value(of: number) }

    /// Whether document, key, and value are the same.
    package static func == (left: IndexRow, right: IndexRow) -> Bool {
        RowPage.isSame(left.page, left.number, right.page, right.number)
    }
}
