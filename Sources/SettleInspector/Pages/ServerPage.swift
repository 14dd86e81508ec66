import Foundation
import Settle

/// What the server of the tables has counted since it began.
enum ServerPage {
    /// The page of a report in the text format of Prometheus; nil where there is no server.
    static func content(_ report: String?) -> PageContent {
        guard let report else {
            return PageContent(
                title: "Server",
                blocks: [
                    .text(
                        "No server of tables runs in this process. 'settle serve --inspector' shows one."
                    )
                ])
        }
        let samples = MetricsSample.samples(in: report)
        var blocks: [Block] = [.facts(facts(samples))]
        blocks += bars(
            samples.filter { $0.name == "settle_http_requests_total" },
            title: "Requests by path and status", by: ["route", "method", "status"])
        blocks += bars(
            samples.filter { $0.name == "settle_http_refusals_total" },
            title: "Refused requests by status", by: ["status"])
        blocks += latencies(samples)
        return PageContent(title: "Server", blocks: blocks)
    }

    private static func facts(_ samples: [MetricsSample]) -> [Fact] {
        [
            ("Connections", "settle_connections_open"), ("Live readers", "settle_live_readers"),
            ("Requests under way", "settle_http_requests_in_flight"),
            ("Items read", "settle_items_read_total"),
            ("Items written", "settle_items_written_total"),
            ("Refused by rate", "settle_rate_limited_total"),
            ("Refused by token", "settle_token_failures_total"),
        ].compactMap { label, name in
            samples.first { $0.name == name }.map {
                Fact(label: label, value: SVG.number($0.value))
            }
        }
    }

    private static func bars(
        _ samples: [MetricsSample], title: String, by labels: [String]
    ) -> [Block] {
        let bars = samples.map { sample in
            BarChart.Bar(
                name: labels.compactMap { sample.labels[$0] }.joined(separator: " "),
                value: sample.value, shown: SVG.number(sample.value))
        }
        let drawing = BarChart.drawing(bars.filter { $0.value > 0 }, title: title)
        return [.heading(title)]
            + (drawing.map { [.drawing($0, caption: title)] } ?? [.text("None.")])
    }

    /// How many requests took how long, of all paths together.
    private static func latencies(_ samples: [MetricsSample]) -> [Block] {
        var totals: [Double: Double] = [:]
        for sample in samples where sample.name == "settle_http_request_duration_seconds_bucket" {
            let border = sample.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) }
            if let border { totals[border, default: 0] += sample.value }
        }
        var before = 0.0
        let bars = totals.sorted { $0.key < $1.key }.map { border, total in
            defer { before = total }
            let name = border.isFinite ? "up to \(SVG.number(border * 1_000)) ms" : "longer"
            return BarChart.Bar(
                name: name, value: total - before, shown: SVG.number(total - before))
        }
        let title = "Requests by the time to their answer"
        let drawing = before > 0 ? BarChart.drawing(bars, title: title) : nil
        return [.heading(title)]
            + (drawing.map { [.drawing($0, caption: title)] } ?? [.text("None.")])
    }
}
