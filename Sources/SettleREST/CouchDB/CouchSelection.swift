import Settle
import SettleSync
import SettleTableProtocol

/// Which documents a feed of changes is asked for.
struct CouchSelection: Sendable, Hashable {
    /// Only these documents; nil for all.
    var identifiers: [String]?
    /// A condition in Mango; nil for none.
    var selector: JSONValue?
    /// The function of a design document, `design/name`; nil for none.
    var filter: String?
    /// What the function is called with.
    var functionParameters: [String: String] = [:]
    /// Whether design documents are among them.
    var hasDesigns = false

    /// The selection in a few words that do not depend on how it was given; empty for all.
    var name: String {
        var members: [String: JSONValue] = [:]
        if let identifiers { members["ids"] = .array(identifiers.sorted().map { .string($0) }) }
        members["selector"] = selector
        members["filter"] = filter.map { .string($0) }
        if hasDesigns { members["designs"] = true }
        if !functionParameters.isEmpty {
            members["parameters"] = .object(functionParameters.mapValues { .string($0) })
        }
        return members.isEmpty
            ? "" : String(decoding: JSONText.text(of: .object(members)), as: UTF8.self)
    }

    /// The selection of what is in channels, too: the documents whose member `channels` lists one of them, and
    /// deletions, which have no members.
    func within(_ channels: Set<String>) -> CouchSelection {
        if channels.isEmpty { return self }
        let listed = JSONValue.array(channels.sorted().map { .string($0) })
        let condition: JSONValue = [
            "$or": [
                ["channels": ["$elemMatch": ["$in": listed]]], ["_deleted": true],
            ]
        ]
        var selection = self
        selection.selector = selector.map { ["$and": [$0, condition]] } ?? condition
        return selection
    }

    /// Why the selection cannot be asked for; nil when it can.
    var fault: String? {
        let count = [identifiers != nil, selector != nil, filter != nil].count { $0 }
        return count > 1
            ? "A feed of CouchDB takes one of identifiers, a selector or channels, and the filter of a "
                + "design document." : nil
    }

    /// What stands in the query of a request.
    var parameters: [QueryParameter] {
        let name = identifiers != nil ? "_doc_ids" : selector != nil ? "_selector" : filter
        guard let name else { return [] }
        return [QueryParameter("filter", name)]
            + functionParameters.sorted { $0.key < $1.key }.map { QueryParameter($0.key, $0.value) }
    }

    /// The body of a request; nil for none.
    var body: JSONValue? {
        if let identifiers { return ["doc_ids": .array(identifiers.map { .string($0) })] }
        return selector.map { ["selector": $0] }
    }
}
