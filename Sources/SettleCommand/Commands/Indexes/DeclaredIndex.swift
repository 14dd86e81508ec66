import Settle

/// An index that is asked by its declaration, and whether its rows are summed up.
struct DeclaredIndex {
    private let declaration: Database.IndexDeclaration
    /// Whether the rows are summed up.
    let isReduced: Bool

    /// An index by its declaration.
    ///
    /// - Parameters:
    ///   - declaration: What it is made of.
    ///   - noReduce: Whether the rows themselves are wanted, though they could be summed up.
    init(_ declaration: Database.IndexDeclaration, noReduce: Bool) {
        self.declaration = declaration
        isReduced = declaration.reduce != nil && !noReduce
    }

    /// A stored index that is about to be asked.
    ///
    /// - Throws: ``CommandFailure`` for one that is made by code, and for options that it cannot be
    ///   asked with.
    init(_ status: IndexStatus, noReduce: Bool, for options: QueryOptions) throws {
        let name = status.name
        guard let declaration = status.declaration else {
            throw CommandFailure(
                "The index '\(name)' is made by the code of an application, and only that can ask "
                    + "it. An index that is declared with --key can be asked here.")
        }
        self.init(declaration, noReduce: noReduce)
        if isReduced, options.includeDocuments {
            throw CommandFailure(
                "The index '\(name)' sums up, and such rows have no documents; give --no-reduce.")
        }
        if !isReduced, options.isGrouped {
            throw CommandFailure("The index '\(name)' does not sum up, so nothing can be grouped.")
        }
    }

    /// The name that queries use.
    var name: String { declaration.name }

    /// How answers to a question are shown.
    func rendering(
        _ options: QueryOptions, isJSON: Bool, on screen: Screen
    ) -> ResultRendering {
        let table = RowTable(
            keys: declaration.keys.map { KeyPathArgument($0).text },
            value: declaration.value.map { KeyPathArgument($0).text },
            reduce: isReduced ? declaration.reduce.map { ReduceArgument($0) } : nil,
            level: options.groupLevel.count > 0 ? options.groupLevel.count : nil,
            isGrouped: options.group)
        return ResultRendering(table: table, isJSON: isJSON, screen: screen)
    }
}
