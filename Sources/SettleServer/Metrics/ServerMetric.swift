/// What a server counts; the only list of it.
enum ServerMetric: String, CaseIterable, Sendable {
    case requests = "settle_http_requests_total"
    case refusals = "settle_http_refusals_total"
    case durations = "settle_http_request_duration_seconds"
    case requestsInFlight = "settle_http_requests_in_flight"
    case bytesReceived = "settle_http_received_bytes_total"
    case bytesSent = "settle_http_sent_bytes_total"
    case connections = "settle_connections_open"
    case itemsRead = "settle_items_read_total"
    case itemsWritten = "settle_items_written_total"
    case liveReaders = "settle_live_readers"
    case rateLimited = "settle_rate_limited_total"
    case tokenFailures = "settle_token_failures_total"

    /// The kinds of Prometheus.
    enum Kind: String {
        case counter, gauge, histogram
    }

    var kind: Kind {
        switch self {
        case .durations: .histogram
        case .requestsInFlight, .connections, .liveReaders: .gauge
        default: .counter
        }
    }

    /// What it is, for people.
    var help: String {
        switch self {
        case .requests: "Requests that were answered."
        case .refusals: "Requests that were answered with an error."
        case .durations: "Seconds from a request to the beginning of its answer."
        case .requestsInFlight: "Requests whose answer has not begun."
        case .bytesReceived: "Bytes of bodies of requests, as their headers say."
        case .bytesSent: "Bytes of bodies of answers whose length is known beforehand."
        case .connections: "Connections that are open."
        case .itemsRead: "Items sent to readers."
        case .itemsWritten: "Items stored."
        case .liveReaders: "Readers that wait for changes."
        case .rateLimited: "Requests refused because of the rate limit."
        case .tokenFailures: "Requests refused because their token was missing or not good."
        }
    }
}
