import Foundation
import HTTPTypes
import Settle
import SettleREST
import TestSupport

extension TableModel {
    var systemNames: [String] {
        ["id"]
            + ["createdAt", "updatedAt", "version", "deleted"].map {
                style.kind.columnPrefix + $0
            }
    }

    /// What is said to a client of another generation; nil to one of this.
    func versionRefusal(of request: HTTPRequest) -> FullHTTPResponse? {
        guard let name = HTTPField.Name("ZUMO-API-VERSION") else { return nil }
        let version = request.headerFields[name]
        let isExpected =
            switch style.kind {
            case .mobileServices: version == nil
            case .node, .dotNet: version == "2.0.0"
            case .mobileApps6: version == "3.0.0"
            case .toolkit: true
            }
        return isExpected ? nil : json(400, ["error": "An invalid API version was specified"])
    }

    func show(_ id: String, _ state: State) -> FullHTTPResponse {
        guard let row = state.rows[id], !state.hiddenIds.contains(id) else { return missing() }
        if row.isDeleted { return style.kind.isDatasync ? empty(410) : missing() }
        return item(200, id, state)
    }

    func insert(_ sent: [String: JSONValue], _ state: inout State) -> FullHTTPResponse {
        guard let id = sent["id"]?.stringValue else { return json(400, ["error": "No id."]) }
        guard state.rows[id] == nil else {
            switch style.kind {
            case .node: return json(409, .object(sent), tag: #"W/"19-hash""#)
            case .dotNet, .mobileServices:
                return json(409, ["message": "It is there already."])
            case .mobileApps6, .toolkit:
                return state.hiddenIds.contains(id) ? empty(409) : item(409, id, state)
            }
        }
        if let refusal = refusal(of: sent) { return refusal }
        store(id, columns(in: sent), isDeleted: false, &state)
        return item(201, id, state)
    }

    /// An update, a deletion or an undeletion.
    func change(
        _ id: String, _ request: HTTPRequest, _ sent: [String: JSONValue]?,
        _ query: [String: String], _ state: inout State
    ) -> FullHTTPResponse {
        if request.method == .patch, style.kind == .toolkit { return empty(405) }
        guard let row = state.rows[id], !state.hiddenIds.contains(id) else { return missing() }
        let isDatasync = style.kind.isDatasync
        let isUndeletion =
            switch style.kind {
            case .mobileApps6: request.method == .patch && sent == ["deleted": false]
            case .toolkit:
                request.method == .put && query["__includedeleted"] == "true"
                    && sent?["deleted"] == false
            default: request.method == .post
            }
        if row.isDeleted, !isUndeletion {
            let isStale = request.headerFields[.ifMatch] != tag(row)
            if style.kind == .mobileServices, isStale { return item(412, id, state) }
            return isDatasync ? empty(410) : missing()
        }
        if let match = request.headerFields[.ifMatch] {
            guard match == tag(row) else { return item(412, id, state) }
        } else if !isUndeletion {
            ledger.complain("\(request.line) does not say what it changes.")
        }
        if let sent, let refusal = refusal(of: sent) { return refusal }
        switch request.method {
        case .delete:
            store(id, row.columns, isDeleted: true, &state)
            return style.kind == .node ? item(200, id, state) : empty(204)
        case .post where !isDatasync:
            store(id, row.columns, isDeleted: false, &state)
            return item(style.kind == .node ? 201 : 200, id, state)
        case .patch where isUndeletion:
            store(id, row.columns, isDeleted: false, &state)
            return item(200, id, state)
        case .patch where !isDatasync:
            let columns = row.columns.merging(columns(in: sent ?? [:])) { $1 }
            // A client may want members away of which only a null is left; that changes nothing.
            let removes = sent?.values.contains(.null) ?? false
            if !removes { complainIfEqual(id, row, columns, request, state) }
            store(id, columns, isDeleted: false, &state)
            return item(200, id, state)
        case .put where isDatasync:
            let columns = columns(in: sent ?? [:])
            complainIfEqual(id, row, columns, request, state)
            store(id, columns, isDeleted: false, &state)
            return item(200, id, state)
        default:
            return json(405, ["error": "There is no such method."])
        }
    }

    /// No two edits make the same of a row, so an update that changes nothing was there before.
    ///
    /// A device that was shown a row without some of its members may send those again.
    private func complainIfEqual(
        _ id: String, _ row: Row, _ columns: [String: JSONValue], _ request: HTTPRequest,
        _ state: State
    ) {
        guard row.columns == columns, !row.isDeleted, state.leftOut[id] == nil else { return }
        ledger.complain(
            "'\(id)' was updated to what it was: something was carried out twice. "
                + request.line)
    }

    /// Some servers take no columns that are their own.
    private func refusal(of sent: [String: JSONValue]) -> FullHTTPResponse? {
        guard !style.kind.isDatasync else { return nil }
        let names = systemNames.filter { $0 != "id" && $0 != "version" }
        for name in names where sent[name] != nil {
            return json(400, ["error": .string("'\(name)' is reserved")])
        }
        return nil
    }

    private func columns(in sent: [String: JSONValue]) -> [String: JSONValue] {
        let columns = sent.filter { !systemNames.contains($0.key) }
        return style.hasDoublesOnly ? columns.mapValues(JavaScriptText.rounded) : columns
    }

    // MARK: Forms

    /// A row as it is shown.
    func shown(_ id: String, _ row: Row, _ state: State) -> JSONValue {
        var columns = row.columns
        if style.showsAllColumns {
            for name in state.columnNames where columns[name] == nil { columns[name] = .null }
        }
        columns["id"] = .string(id)
        let prefix = style.kind.columnPrefix
        if !style.kind.isDatasync { columns[prefix + "createdAt"] = "2021-01-01T00:00:00.000Z" }
        columns[prefix + "updatedAt"] = .string(style.shown(row.time))
        columns[prefix + "version"] = .string(version(row))
        columns[prefix + "deleted"] = .bool(row.isDeleted)
        return .object(columns)
    }

    func version(_ row: Row) -> String { style.versionPrefix + String(row.version) }

    private func tag(_ row: Row) -> String {
        "\"" + version(row).replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }

    private func item(_ status: Int, _ id: String, _ state: State) -> FullHTTPResponse {
        guard let row = state.rows[id] else { return missing() }
        return json(status, shown(id, row, state), tag: tag(row))
    }

    private func missing() -> FullHTTPResponse {
        style.kind.isDatasync ? empty(404) : json(404, ["error": "The item does not exist"])
    }

    private func empty(_ status: Int) -> FullHTTPResponse {
        FullHTTPResponse(head: HTTPResponse(status: .init(code: status), headerFields: [:]))
    }

    func json(_ status: Int, _ value: JSONValue, tag: String? = nil) -> FullHTTPResponse {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        fields[.eTag] = tag
        return FullHTTPResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Array(WrongRows.spoiled(text(of: value)).utf8))
    }

    /// A text as the server writes it.
    func text(of value: JSONValue) -> String {
        style.hasDoublesOnly
            ? JavaScriptText.text(of: value, isExact: style.writesAllDigits)
            : String(decoding: JSONText.text(of: value), as: UTF8.self)
    }
}
