/// A token of a query.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword, as it is written.
        case word(String)
        case string(String)
        case integer(Int64)
        case double(Double)
        /// A parameter with its `@`.
        case parameter(String)
        case symbol(String)
        case end
    }

    var kind: Kind
    /// Where it is in the text, by characters.
    var range: Range<Int>
}
