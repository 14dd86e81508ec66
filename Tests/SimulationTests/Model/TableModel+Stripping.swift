import HTTPTypes
import Settle
import SettleREST

// Servers that do not know all their columns at the moment of an answer.

extension TableModel {
    /// An answer to a write, perhaps without some of the members that are stored.
    func stripping(_ answer: FullHTTPResponse, _ state: inout State) -> FullHTTPResponse {
        guard style.stripsAnswers,
            let body = try? JSONText.value(from: answer.body, largeIntegers: .rounded),
            let id = body["id"]?.stringValue
        else { return answer }
        state.strippedIds.remove(id)
        guard Bool.random(using: &state.random) else { return answer }
        let isDone = answer.head.status.kind == .successful
        if isDone, Bool.random(using: &state.random) { state.strippedIds.insert(id) }
        var stripped = answer
        stripped.body = Array(text(of: self.stripped(body, &state)).utf8)
        return stripped
    }

    /// A list, in which an item that is looked up after a write may lack something, too.
    func strippingLookUp(
        _ answer: FullHTTPResponse, _ query: [String: String], _ state: inout State
    ) -> FullHTTPResponse {
        guard !state.strippedIds.isEmpty, query["$filter"]?.hasPrefix("id eq ") ?? false,
            let body = try? JSONText.value(from: answer.body, largeIntegers: .rounded)
        else { return answer }
        func strip(_ rows: [JSONValue]) -> JSONValue {
            .array(
                rows.map { row in
                    guard let id = row["id"]?.stringValue,
                        state.strippedIds.remove(id) != nil
                    else { return row }
                    return self.stripped(row, &state)
                })
        }
        var stripped = answer
        if let rows = body.arrayValue {
            stripped.body = Array(text(of: strip(rows)).utf8)
        } else if case .object(var members) = body, let rows = members["items"]?.arrayValue {
            members["items"] = strip(rows)
            stripped.body = Array(text(of: .object(members)).utf8)
        }
        return stripped
    }

    private func stripped(_ item: JSONValue, _ state: inout State) -> JSONValue {
        guard case .object(var members) = item else { return item }
        for name in members.keys.sorted() where !systemNames.contains(name) {
            guard Bool.random(using: &state.random) else { continue }
            if let id = item["id"]?.stringValue, members[name] != .null {
                state.leftOut[id, default: []].insert(name)
            }
            members[name] = style.showsAllColumns ? .null : nil
        }
        return .object(members)
    }
}
