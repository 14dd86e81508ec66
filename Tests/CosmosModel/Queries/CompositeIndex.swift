import SettleDocuments

/// An index over several members, which ORDER BY of several members needs.
///
/// > Source: Azure Cosmos DB, "Indexing policies", on composite indexes.
struct CompositeIndex {
    /// A member, and whether it is in descending order.
    private struct Part: Equatable {
        var path: String
        var isDescending: Bool
    }

    private var parts: [Part]

    /// The indexes in the policy of a collection.
    static func indexes(of collection: JSONValue) -> [CompositeIndex] {
        let lists = collection["indexingPolicy"]?["compositeIndexes"]?.arrayValue ?? []
        return lists.map { list in
            CompositeIndex(
                parts: (list.arrayValue ?? []).map { part in
                    Part(
                        path: part["path"]?.stringValue ?? "",
                        isDescending: part["order"]?.stringValue?.lowercased() == "descending")
                })
        }
    }

    /// Whether it has the order of a query, forwards or backwards.
    func serves(_ query: ParsedQuery) -> Bool {
        let wanted = query.order.map {
            Part(path: Self.path(of: $0.key), isDescending: $0.isDescending)
        }
        let reversed = wanted.map { Part(path: $0.path, isDescending: !$0.isDescending) }
        return parts == wanted || parts == reversed
    }

    private static func path(of key: QueryExpression) -> String {
        guard case .member(let base, .constant(.string(let name))) = key else { return "" }
        return "\(path(of: base))/\(name)"
    }
}

extension ServiceState {
    /// Checks that a collection has the index that the order of a query needs.
    ///
    /// - Throws: ``ServiceFailure`` with 400 when it has none.
    func checkIndex(of collection: UInt64, for query: ParsedQuery) throws(ServiceFailure) {
        guard configuration.needsCompositeIndexes, query.order.count > 1,
            let body = resources[collection]?.body,
            !CompositeIndex.indexes(of: body).contains(where: { $0.serves(query) })
        else { return }
        throw .badRequest(
            "ORDER BY of several members needs a composite index of them in the indexing policy.")
    }
}
