/// A query.
struct ParsedQuery {
    /// What is made of each row.
    enum Selection {
        case all
        case value(QueryExpression)
        case list([(value: QueryExpression, name: String)])
    }

    /// A name in FROM, and where its values come from.
    struct Source {
        var alias: String
        /// nil for the document itself.
        var origin: QueryExpression?
        /// Whether it takes the elements of an array one by one.
        var isIteration: Bool
    }

    struct Order {
        var key: QueryExpression
        var isDescending: Bool
    }

    var isDistinct = false
    var top: QueryExpression?
    var selection: Selection = .all
    var sources: [Source] = []
    var filter: QueryExpression?
    var grouping: [QueryExpression] = []
    var order: [Order] = []
    var offset: QueryExpression?
    var limit: QueryExpression?
    /// The text of parts, for a rewritten query.
    var texts = Texts()

    struct Texts {
        /// What is selected, for each entry of a list.
        var selected: [String] = []
        var from = ""
        var filter: String?
        var order: [String] = []
        var grouping: [String] = []
    }

    /// The expressions that are selected.
    var selected: [QueryExpression] {
        switch selection {
        case .all: []
        case .value(let value): [value]
        case .list(let entries): entries.map(\.value)
        }
    }

    /// Whether many rows become one.
    var isAggregate: Bool { !grouping.isEmpty || selected.contains { !$0.aggregates.isEmpty } }
}
