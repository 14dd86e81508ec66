import Foundation
import HTTPTypes
import Settle
import SettleREST
import Synchronization

/// Sees all answers of a table and complains of what its protocol does not allow.
///
/// Versions of an item never change, are replaced by one other at most, and have times of their own
/// that go on from one version to the next.
final class Witness: Sendable {
    /// What an answer showed of a version.
    private struct Sight: Equatable, CustomStringConvertible {
        var columns: [String: JSONValue]
        var isDeleted: Bool
        var time: String

        var description: String {
            "\(isDeleted ? "deleted " : "")\(Journal.text(columns)) at \(time)"
        }
    }

    private struct State {
        /// By identifier and version, what was shown.
        var sights: [String: [String: Sight]] = [:]
        /// By identifier and version, the version that replaced it.
        var successors: [String: [String: String]] = [:]
        /// By time, the identifier and version that it was given to.
        var owners: [String: String] = [:]
    }

    private let ledger: Ledger
    private let state = Mutex(State())

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    /// Looks at an answer.
    func saw(_ answer: FullHTTPResponse, to request: HTTPRequest, _ body: [UInt8]?) {
        let said = try? JSONText.value(from: answer.body)
        let sent = body.flatMap { try? JSONText.value(from: $0) }
        let path = (request.path ?? "").split(separator: "?", maxSplits: 1)[0]
        let segments = path.split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        if segments.dropFirst(2) == ["operations", "batch"] {
            let results = said?["results"]?.arrayValue ?? []
            for (operation, result) in zip(sent?["operations"]?.arrayValue ?? [], results) {
                saw(result, to: operation, request)
            }
            return
        }
        for item in said?["items"]?.arrayValue ?? said?["results"]?.arrayValue
            ?? said?.arrayValue ?? said.map({ [$0] }) ?? []
        {
            saw(item)
        }
        let addressed = segments.dropFirst(2).first ?? sent?["id"]?.stringValue
        guard request.method != .get, let id = addressed else { return }
        let tag = answer.head.headerFields[.eTag].map(Self.version)
        let kind: Write.Kind? =
            switch request.method {
            case .post: segments.count == 2 ? .insertion : .undeletion
            case .put: .replacement
            case .patch: .update
            case .delete: .deletion
            default: nil
            }
        guard let kind else { return }
        saw(
            Write(
                line: request.line, id: id, kind: kind,
                expected: request.headerFields[.ifMatch].map(Self.version),
                sent: sent?.objectValue ?? [:]),
            answer.head.status.code, said?["version"]?.stringValue ?? tag)
    }

    /// Looks at the result of an operation of a batch.
    private func saw(_ result: JSONValue, to operation: JSONValue, _ request: HTTPRequest) {
        if let item = result["item"] { saw(item) }
        let kind: Write.Kind? =
            switch operation["op"]?.stringValue {
            case "insert": .insertion
            case "update": .update
            case "replace": .replacement
            case "delete": .deletion
            case "undelete": .undeletion
            default: nil
            }
        let sent = operation["item"]?.objectValue ?? [:]
        guard let kind, let id = operation["id"]?.stringValue ?? sent["id"]?.stringValue else {
            return ledger.complain("An operation of a batch is none: \(Journal.text(operation))")
        }
        saw(
            Write(
                line: "\(request.line): \(Journal.text(operation))", id: id, kind: kind,
                expected: operation["version"]?.stringValue, sent: sent),
            Int(result["status"]?.integerValue ?? 0),
            result["item"]?["version"]?.stringValue ?? result["version"]?.stringValue)
    }

    // MARK: Writes

    /// A write of one item.
    private struct Write {
        enum Kind {
            case insertion, update, replacement, deletion, undeletion
        }

        var line: String
        var id: String
        var kind: Kind
        /// The version that it is meant for.
        var expected: String?
        var sent: [String: JSONValue]

        /// Whether it brings a deleted item back, and so need not say which.
        var isUndeletion: Bool { kind == .undeletion || sent["deleted"] == false }

        /// What a row with some columns becomes; nil when that cannot be told.
        func columns(over before: [String: JSONValue]?) -> [String: JSONValue]? {
            let own = TableClient.columns(of: sent)
            return switch kind {
            case .insertion, .replacement: own
            case .update: before?.merging(own) { $1 }
            case .deletion, .undeletion: before
            }
        }
    }

    private func saw(_ write: Write, _ status: Int, _ version: String?) {
        if write.expected == nil, write.kind != .insertion, !write.isUndeletion {
            ledger.complain("\(write.line) does not say what it changes.")
        }
        guard (200..<300).contains(status) else { return }
        guard let version else {
            return ledger.complain("\(write.line) is answered without a version.")
        }
        if version == write.expected {
            if !write.isUndeletion {
                ledger.complain("\(write.line) left the version as it was.")
            }
            return
        }
        state.withLock { compare(write, version, &$0) }
    }

    /// Compares what a write that was carried out replaced with what it made.
    private func compare(_ write: Write, _ version: String, _ state: inout State) {
        let id = write.id
        var before: Sight?
        if let expected = write.expected {
            if let earlier = state.successors[id]?[expected], earlier != version {
                ledger.complain(
                    "\(write.line) was carried out, but '\(expected)' had been replaced before.")
            }
            state.successors[id, default: [:]][expected] = version
            before = state.sights[id]?[expected]
        }
        guard let after = state.sights[id]?[version] else { return }
        if let columns = write.columns(over: before?.columns), columns != after.columns {
            let old = before?.description ?? "nothing"
            ledger.complain("\(write.line) made \(after) of \(old).")
        }
        guard let before else { return }
        if let (old, new) = Self.both(before.time, after.time), new <= old {
            ledger.complain("\(write.line) gave '\(id)' no later time: \(before), \(after)")
        }
        let isChange = write.kind == .update || write.kind == .replacement
        // A member that is not there is the same as one that is null.
        let removes = write.sent.values.contains(.null)
        if isChange, !write.isUndeletion, !removes, before.columns == after.columns {
            ledger.complain(
                "'\(id)' was updated to what it was: something was carried out twice. "
                    + write.line)
        }
    }

    private static func both(_ left: String, _ right: String) -> (TableTime, TableTime)? {
        guard let left = TableTime(left), let right = TableTime(right) else { return nil }
        return (left, right)
    }

    /// The version in a tag.
    private static func version(_ tag: String) -> String {
        tag.dropFirst().dropLast().replacingOccurrences(of: "\\\"", with: "\"")
    }

    // MARK: Items

    private func saw(_ item: JSONValue) {
        // What left somebody's sight is told with a version and a time of that.
        guard item["@removed"] == nil, let id = item["id"]?.stringValue,
            let row = TableClient.Row(item), let time = item["updatedAt"]?.stringValue
        else { return }
        let sight = Sight(columns: row.columns, isDeleted: row.isDeleted, time: time)
        state.withLock { state in
            if let earlier = state.sights[id]?[row.version], earlier != sight {
                ledger.complain(
                    "The version '\(row.version)' of '\(id)' is \(sight) and was \(earlier).")
            }
            state.sights[id, default: [:]][row.version] = sight
            let owner = "'\(id)' in version '\(row.version)'"
            if let other = state.owners[time], other != owner {
                ledger.complain("\(owner) and \(other) have both the time \(time).")
            }
            state.owners[time] = owner
        }
    }
}
