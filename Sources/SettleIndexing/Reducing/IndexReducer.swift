package import SettleDocuments

/// What makes one value of the values of many rows.
package struct IndexReducer: Sendable {
    /// A reduce function of the application, called as CouchDB calls it.
    ///
    /// With `rereduce` false it is given the keys and values of rows, in the order of the rows, nil
    /// for a row without a value. With `rereduce` true the keys are empty and the values are results
    /// of earlier calls, in the order of the rows they were made of. What it throws, or returns that
    /// cannot be stored, is thrown to whoever asks for the result.
    package typealias Function =
        @Sendable (
            _ keys: [JSONValue], _ values: [JSONValue?], _ rereduce: Bool
        ) throws -> JSONValue

    enum Source {
        case builtIn(ReducerKind)
        case custom(Function)
    }

    let source: Source

    /// One of the functions that come with the database.
    package static func builtIn(_ kind: ReducerKind) -> IndexReducer {
        IndexReducer(source: .builtIn(kind))
    }

    /// The most rows that are given to a function of the application directly, in one call with
    /// `rereduce` false, when a query sums them up.
    ///
    /// More are reduced by parts, and from what is stored of them, with rereduce. So a small answer
    /// does not depend on the parts, and costs at most some ten leaves.
    package static let directRowCountMax = 500

    /// A function of the application.
    ///
    /// The result of a rereduce over results must be the result over all their rows, however these
    /// were parted; Settle parts them by what they hold, not by when they came.
    package static func custom(_ function: @escaping Function) -> IndexReducer {
        IndexReducer(source: .custom(function))
    }

    /// Which built-in function this is; nil for one of the application.
    package var kind: ReducerKind? {
        if case .builtIn(let kind) = source { kind } else { nil }
    }
}
