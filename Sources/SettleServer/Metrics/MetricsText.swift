/// The metrics as text, in the format of Prometheus 0.0.4.
///
/// > Source: "Exposition formats" in the documentation of Prometheus.
struct MetricsText {
    /// The value of `Content-Type`.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Writes what was counted.
    ///
    /// - Parameters:
    ///   - values: What was counted.
    ///   - connections: How many connections are open.
    init(_ values: ServerMetrics.Values, connections: Int) {
        let requests = values.requests.sorted { $0.key < $1.key }
        family(
            "settle_http_requests_total", "counter", "Requests that were answered.",
            requests.map { kind, count in
                (
                    [("route", kind.route), ("method", kind.method), ("status", "\(kind.status)")],
                    "\(count)"
                )
            })
        let problems = values.requests.filter { $0.key.status >= 400 }
            .reduce(into: [Int: Int]()) { $0[$1.key.status, default: 0] += $1.value }
        family(
            "settle_http_refusals_total", "counter", "Requests that were answered with an error.",
            problems.sorted { $0.key < $1.key }.map { ([("status", "\($0.key)")], "\($0.value)") })
        durations(values.durations)
        single(
            "settle_http_requests_in_flight", "gauge", "Requests whose answer has not begun.",
            values.requestsInFlight)
        single(
            "settle_http_received_bytes_total", "counter",
            "Bytes of bodies of requests, as their headers say.", values.bytesReceived)
        single(
            "settle_http_sent_bytes_total", "counter",
            "Bytes of bodies of answers whose length is known beforehand.", values.bytesSent)
        single("settle_connections_open", "gauge", "Connections that are open.", connections)
        single("settle_items_read_total", "counter", "Items sent to readers.", values.itemsRead)
        single("settle_items_written_total", "counter", "Items stored.", values.itemsWritten)
        single(
            "settle_live_readers", "gauge", "Readers that wait for changes.", values.liveReaders)
        single(
            "settle_rate_limited_total", "counter", "Requests refused because of the rate limit.",
            values.rateLimited)
        single(
            "settle_token_failures_total", "counter",
            "Requests refused because their token was missing or not good.", values.tokenFailures)
    }

    private mutating func durations(_ durations: [String: DurationHistogram]) {
        let name = "settle_http_request_duration_seconds"
        head(name, "histogram", "Seconds from a request to the beginning of its answer.")
        for (route, histogram) in durations.sorted(by: { $0.key < $1.key }) {
            for (border, count) in histogram.cumulative {
                line(name + "_bucket", [("route", route), ("le", "\(border)")], "\(count)")
            }
            line(name + "_bucket", [("route", route), ("le", "+Inf")], "\(histogram.count)")
            line(name + "_sum", [("route", route)], "\(histogram.sum)")
            line(name + "_count", [("route", route)], "\(histogram.count)")
        }
    }

    private mutating func single(_ name: String, _ kind: String, _ help: String, _ value: Int) {
        family(name, kind, help, [([], "\(value)")])
    }

    private mutating func family(
        _ name: String, _ kind: String, _ help: String,
        _ samples: [(labels: [(String, String)], value: String)]
    ) {
        head(name, kind, help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Values of labels are templates, methods and numbers, which need no escaping.
    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
        let inner = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += inner.isEmpty ? "\(name) \(value)\n" : "\(name){\(inner)} \(value)\n"
    }
}
