import Foundation
import HTTPTypes
import Settle
import SettleREST

/// Counts the inserts of one item that meet another which is not shown.
///
/// An answer that shows the item is news of it, after which a device may try anew.
struct RefusedInserts {
    /// More than a device that starts once has any use for: three, and three more after a change.
    private static let countMax = 6

    /// What was refused last and not looked up yet, by identifier.
    private var refused: [String: [UInt8]] = [:]
    private var counts: [String: [[UInt8]: Int]] = [:]

    /// Looks at a request and its answer.
    ///
    /// - Returns: The identifier of an item that was inserted too often.
    mutating func note(
        _ request: HTTPRequest, _ body: [UInt8]?, _ answer: FullHTTPResponse
    ) -> String? {
        let path = request.path?.removingPercentEncoding ?? ""
        if request.method == .post, path.split(separator: "/").count == 2, let body,
            let id = (try? JSONText.value(from: body))?["id"]?.stringValue
        {
            refused[id] = answer.head.status == .conflict ? body : nil
            return nil
        }
        guard request.method == .get, answer.head.status == .ok,
            let json = try? JSONText.value(from: answer.body),
            let items = json.arrayValue ?? json["items"]?.arrayValue
        else { return nil }
        for item in items {
            if let id = item["id"]?.stringValue { counts[id] = nil }
        }
        guard items.isEmpty,
            let filter = path.split(separator: "$filter=id eq '").dropFirst().first,
            let end = filter.range(of: "'&")?.lowerBound ?? filter.lastIndex(of: "'")
        else { return nil }
        let id = String(filter[..<end]).replacing("''", with: "'")
        guard let body = refused.removeValue(forKey: id) else { return nil }
        let count = counts[id, default: [:]][body, default: 0] + 1
        counts[id, default: [:]][body] = count
        return count == Self.countMax + 1 ? id : nil
    }
}
