import Foundation
import HTTPTypes
import Settle
import SettleREST

extension TableModel {
    /// Says what the server offers.
    func announce(in answer: inout FullHTTPResponse) {
        if style.batches != .none { set("Settle-Features", "batch, removed", in: &answer) }
        if style.timesFollowCommits { set("x-zumo-server-version", "settle-1", in: &answer) }
    }

    private func set(_ name: String, _ value: String, in answer: inout FullHTTPResponse) {
        if let name = HTTPField.Name(name) { answer.head.headerFields[name] = value }
    }

    /// Carries out the operations of a batch, each as the request for one item would be.
    func batch(_ body: [UInt8]?, _ state: inout State) -> FullHTTPResponse {
        let sent = body.flatMap { try? JSONText.value(from: $0) }
        guard let operations = sent?["operations"]?.arrayValue, operations.count > 1 else {
            ledger.complain("A batch is none: \(sent ?? .null)")
            return json(400, ["error": "The body is no batch."])
        }
        if style.batches == .comeAndGo, !state.isCalm {
            switch Int.random(in: 0..<16, using: &state.random) {
            case 0: return json(404, ["error": "There is no such path."])
            case 1: return json(501, ["error": "There is no such thing."])
            case 2, 3, 4: return json(413, ["error": "It is too large."])
            case 5:
                // Somebody in between makes nonsense of an answer; the work is done.
                let results = operations.map { result(of: $0, &state) }
                return json(200, ["results": .array(Array(results.dropLast()))])
            default: break
            }
        }
        return json(200, ["results": .array(operations.map { result(of: $0, &state) })])
    }

    private func result(of operation: JSONValue, _ state: inout State) -> JSONValue {
        let answer = stripping(answer(to: operation, &state), &state)
        var result: [String: JSONValue] = [
            "status": .integer(Int64(answer.head.status.code))
        ]
        if let body = try? JSONText.value(from: answer.body, largeIntegers: .rounded) {
            if body["id"] != nil { result["item"] = body } else { result["error"] = body["error"] }
        }
        if answer.body.isEmpty, let tag = answer.head.headerFields[.eTag] {
            result["version"] = .string(
                tag.dropFirst().dropLast().replacingOccurrences(of: "\\\"", with: "\""))
        }
        return .object(result)
    }

    private func answer(to operation: JSONValue, _ state: inout State) -> FullHTTPResponse {
        let item = operation["item"]?.objectValue
        guard let id = operation["id"]?.stringValue, let name = operation["op"]?.stringValue else {
            ledger.complain("An operation of a batch is none: \(operation)")
            return json(400, ["error": "It is no operation."])
        }
        var method = HTTPRequest.Method.post
        switch name {
        case "insert": return insert(item ?? [:], &state)
        case "update" where !style.kind.isDatasync: method = .patch
        case "replace" where style.kind.isDatasync: method = .put
        case "delete": method = .delete
        case "undelete" where state.rows[id]?.isDeleted == false && !state.hiddenIds.contains(id):
            // As `settle serve` does: nothing changes.
            return restored(id, expecting: operation["version"], &state)
        case "undelete" where style.kind.isDatasync:
            return restored(id, expecting: operation["version"], &state)
        case "undelete": break
        default: ledger.complain("'\(name)' is none of the operations of this table.")
        }
        var request = HTTPRequest(
            method: method, scheme: "http", authority: "h", path: "/tables/t/\(id)")
        request.headerFields[.ifMatch] = operation["version"]?.stringValue.map {
            "\"" + $0.replacingOccurrences(of: "\"", with: "\\\"") + "\""
        }
        return change(id, request, item, [:], &state)
    }

    private func restored(
        _ id: String, expecting version: JSONValue?, _ state: inout State
    ) -> FullHTTPResponse {
        guard let row = state.rows[id], !state.hiddenIds.contains(id) else {
            return json(404, ["error": "It does not exist."])
        }
        let isExpected = version == nil || version == .string(self.version(row))
        guard isExpected else { return json(412, shown(id, row, state)) }
        if row.isDeleted { store(id, row.columns, isDeleted: false, &state) }
        return json(200, shown(id, state.rows[id] ?? row, state))
    }
}
