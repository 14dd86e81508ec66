import SettleDocuments
import SettleIndexing

/// Parameters that can be put to the index layer.
protocol IndexQueryConvertible: QueryParameters {
    /// Which rows are meant.
    func selection() throws(DatabaseError) -> IndexQuery.Selection
}

extension IndexQuery {
    /// The question that parameters put to an index.
    ///
    /// - Throws: ``DatabaseError`` with `unsupportedQuery` for parameters of a foreign type, keys that
    ///   cannot be compared, or grouping without a reduce function.
    init(_ parameters: any QueryParameters, hasReducer: Bool) throws(DatabaseError) {
        guard let parameters = Self.convertible(parameters) else {
            throw DatabaseError(
                .unsupportedQuery,
                "Query parameters of type \(type(of: parameters)) are not known; "
                    + "use QueryByKeyRange or QueryByKeyList.")
        }
        let isReduced = hasReducer && parameters.reduce
        let isGrouped = parameters.group || parameters.groupLevel > 0
        if isGrouped, !isReduced {
            throw DatabaseError(
                .unsupportedQuery,
                hasReducer
                    ? "Grouping needs reducing; set reduce to true or leave out the grouping."
                    : "Grouping needs an index with a reduce function.")
        }
        if isReduced, parameters.includeDocuments {
            throw DatabaseError(
                .unsupportedQuery,
                "A reduced row belongs to no document; set reduce or includeDocuments to false.")
        }
        let summary: Summary =
            if !isReduced {
                .rows
            } else if parameters.groupLevel > 0 {
                .firstElements(Int(clamping: parameters.groupLevel))
            } else {
                parameters.group ? .exactKeys : .total
            }
        self.init(
            selection: try parameters.selection(),
            isDescending: parameters.sortOrder == .descending,
            skip: Int(clamping: parameters.startRow),
            limit: parameters.rowLimit == 0 ? nil : Int(clamping: parameters.rowLimit),
            summary: summary)
    }

    /// The parameters as the index layer is asked; nil for those of a foreign type.
    ///
    /// The types are named, because a cast to a protocol alone took 6 % of a query for 50 rows.
    private static func convertible(
        _ parameters: any QueryParameters
    ) -> (any IndexQueryConvertible)? {
        if let range = parameters as? QueryByKeyRange { return range }
        return parameters as? QueryByKeyList
    }
}

extension JSONValue {
    /// Refuses a key with a number that JSON does not have.
    ///
    /// - Throws: ``DatabaseError`` with `unsupportedQuery`.
    func checkIsKey() throws(DatabaseError) {
        guard hasOnlyFiniteNumbers else { throw .unsupportedKey(DynamicValue.notFinite) }
    }

    private var hasOnlyFiniteNumbers: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .array(let elements): elements.allSatisfy(\.hasOnlyFiniteNumbers)
        case .object(let members): members.values.allSatisfy(\.hasOnlyFiniteNumbers)
        case .null, .bool, .integer, .string: true
        }
    }
}

extension DatabaseError {
    static func unsupportedKey(_ reason: String) -> DatabaseError {
        DatabaseError(.unsupportedQuery, "A key of the query holds \(reason).")
    }
}
