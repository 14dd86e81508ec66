import Foundation
import SettleSync
import SettleTableProtocol

extension TablePosition {
    /// What tokens begin with, by the number of their fields: the first layout has no number of the
    /// last row, and only the third a unit of time that may not have been over.
    private static let layouts = [10: "t1", 11: "t2", 12: "t3"]

    /// The position as text; Docs/Formats/AzureTables.md has the fields.
    var token: PullToken {
        let finalText =
            switch finality {
            case .all: "all"
            case .until(let time): time.text
            case .unknown: "unknown"
            }
        let clockText = clocks.map {
            "\(Int64($0.server.timeIntervalSince1970)),\(Int64($0.local.timeIntervalSince1970))"
        }
        var fields = [
            dialect.description, cursorText, last.time.text,
            PercentEncoding.encoded(last.id), PercentEncoding.encoded(last.version),
            last.mark.rawValue, digits.map(String.init) ?? "", finalText, clockText ?? "",
            last.number.map { String($0, radix: 16) } ?? "",
        ]
        if let unsure { fields.append("\(unsure.start.text),\(unsure.digits)") }
        return PullToken((unsure == nil ? "t2|" : "t3|") + fields.joined(separator: "|"))
    }

    private var cursorText: String {
        switch cursor {
        case .after: "after"
        case .from(let time): "from,\(time.text)"
        case .bucket(let time, let digits, let id):
            "bucket,\(time.text),\(digits),\(id.map(PercentEncoding.encoded) ?? "")"
        case .skip(let time, let count): "skip,\(time.text),\(count)"
        case .beginning, .at:
            preconditionFailure("A pull does not end before its first row, or at a row.")
        }
    }

    /// Reads a token; nil when it is none of ours.
    init?(_ token: PullToken) {
        let fields = token.text.split(separator: "|", omittingEmptySubsequences: false)
            .map(String.init)
        guard fields[0] == Self.layouts[fields.count],
            let dialect = AzureTablesBackend.Dialect.all.first(where: {
                $0.description == fields[1]
            }),
            let time = RowTime(fields[3]), let id = fields[4].removingPercentEncoding,
            !id.isEmpty, let version = fields[5].removingPercentEncoding,
            let mark = Mark(rawValue: fields[6]),
            let cursor = Self.cursor(fields[2], time, id),
            let finality = Self.finality(fields[8])
        else { return nil }
        self.init(
            cursor: cursor, last: Row(time: time, id: id, version: version, mark: mark),
            digits: nil, finality: finality, clocks: nil, dialect: dialect)
        if !fields[7].isEmpty {
            guard let digits = Int(fields[7]), (0...9).contains(digits) else { return nil }
            self.digits = digits
        }
        if !fields[9].isEmpty {
            let seconds = fields[9].split(separator: ",").compactMap { Int64($0) }
            guard seconds.count == 2 else { return nil }
            clocks = ServerClocks(
                server: Date(timeIntervalSince1970: Double(seconds[0])),
                local: Date(timeIntervalSince1970: Double(seconds[1])))
        }
        if fields.count > 10, !fields[10].isEmpty {
            guard let number = UInt32(fields[10], radix: 16) else { return nil }
            last.number = number
        }
        if fields.count > 11 {
            let parts = fields[11].split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let start = RowTime(String(parts[0])),
                let digits = Int(parts[1]), (0...9).contains(digits)
            else { return nil }
            unsure = Unit(start: start, digits: digits)
        }
    }

    private static func finality(_ text: String) -> Finality? {
        switch text {
        case "all": .all
        case "unknown": .unknown
        default: RowTime(text).map { .until($0) }
        }
    }

    private static func cursor(_ text: String, _ time: RowTime, _ id: String) -> PullCursor? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case ("after", 1): return .after(time, id: id)
        case ("from", 2): return RowTime(parts[1]).map { .from($0) }
        case ("skip", 3):
            guard let time = RowTime(parts[1]), let count = Int(parts[2]), count >= 0 else {
                return nil
            }
            return .skip(time, count: count)
        case ("bucket", 4):
            guard let time = RowTime(parts[1]), let digits = Int(parts[2]),
                (0...9).contains(digits), let id = parts[3].removingPercentEncoding
            else { return nil }
            return .bucket(time, digits: digits, after: id.isEmpty ? nil : id)
        default: return nil
        }
    }
}
