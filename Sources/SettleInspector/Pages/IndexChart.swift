import Foundation
import Settle

/// The rows of an index as a drawing.
enum IndexChart {
    /// A line where all keys are dates, bars otherwise; nil where values are no numbers.
    static func block(_ rows: [QueryResultRow], _ status: IndexStatus) -> Block? {
        let numbers = rows.compactMap { row in number(row.valueJSON).map { (row, $0) } }
        guard numbers.count > 1, numbers.count == rows.count else { return nil }
        let title = "Values of the index \(VisibleText.beginning(of: status.name))"
        let dates = rows.map { KeyDate.date(of: $0.keyJSON) }
        if dates.allSatisfy({ $0 != nil }) {
            let points = zip(dates, numbers).compactMap { date, number in
                date.map { LineChart.Point(place: $0.timeIntervalSince1970, value: number.1) }
            }.sorted { $0.place < $1.place }
            let drawing = LineChart.drawing(
                points, title: title, first: shown(points.first), last: shown(points.last),
                shown: { JSONValue.double($0).jsonText })
            if let drawing { return .drawing(drawing, caption: title + " over time") }
        }
        let bars = numbers.map {
            BarChart.Bar(
                name: name(of: $0.0.keyJSON), value: $0.1, shown: $0.0.valueJSON.jsonText)
        }
        return BarChart.drawing(bars, title: title).map { .drawing($0, caption: title) }
    }

    private static func shown(_ point: LineChart.Point?) -> String {
        point.map { Amounts.shortDate(Date(timeIntervalSince1970: $0.place)) } ?? ""
    }

    private static func name(of key: JSONValue) -> String {
        if case .string(let text) = key { text } else { key.jsonText }
    }

    /// The number of a value: itself, or the sum of what `_stats` gives.
    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .object(let members):
            switch members["sum"] {
            case .integer(let number)?: Double(number)
            case .double(let number)?: number
            default: nil
            }
        default: nil
        }
    }
}

/// Dates in keys: as text, or as year, month and day.
enum KeyDate {
    /// The date that a key is; nil when it is none.
    static func date(of key: JSONValue) -> Date? {
        switch key {
        case .string(let text):
            if let date = try? Date(text, strategy: .iso8601) { return date }
            let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            if let date = try? Date(text, strategy: exact) { return date }
            return try? Date(text, strategy: .iso8601.year().month().day())
        case .array(let parts):
            let numbers = parts.compactMap { part -> Int? in
                if case .integer(let number) = part { Int(exactly: number) } else { nil }
            }
            guard numbers.count == parts.count, (1...3).contains(numbers.count),
                (1_000...9_999).contains(numbers[0]),
                numbers.dropFirst().allSatisfy({ (1...31).contains($0) })
            else { return nil }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar.date(
                from: DateComponents(
                    year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1,
                    day: numbers.count > 2 ? numbers[2] : 1))
        default: return nil
        }
    }
}
