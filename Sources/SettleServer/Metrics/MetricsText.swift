import CoreMetrics
import SettlePrimitives
import Synchronization

/// Keeps what a server counts, to write it as text, in the format of Prometheus 0.0.4.
///
/// A factory like that of any other back-end of swift-metrics. What is no ``ServerMetric`` is not kept.
///
/// > Source: "Exposition formats" in the documentation of Prometheus.
final class MetricsText: MetricsFactory, Sendable {
    /// The value of `Content-Type`.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The labels of a sample, in their order, and what is counted for them.
    private struct Sample {
        var labels: [(name: String, value: String)]
        var handler: any MetricsTextHandler
    }

    /// The samples of each metric, by the values of their labels.
    private let samples = Lock<[ServerMetric: [[String]: Sample]]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions, CounterText()) ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, dimensions, MeterText()) ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions, TimerText()) ?? NOOPMetricsHandler.instance
    }

    /// A server records nothing so.
    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    // A line that was there once stays, as counters of Prometheus have it.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    /// What is kept for a metric with these labels; nil when it is none of the server's.
    private func handler<Handler: MetricsTextHandler>(
        _ label: String, _ dimensions: [(String, String)], _ new: Handler
    ) -> Handler? {
        guard let metric = ServerMetric(rawValue: label) else { return nil }
        return samples.withLock { samples in
            let key = dimensions.map(\.1)
            if let known = samples[metric]?[key] { return known.handler as? Handler }
            samples[metric, default: [:]][key] = Sample(labels: dimensions, handler: new)
            return new
        }
    }

    /// All lines; each value is that of when it is read.
    var text: String {
        let samples = samples.withLock { $0 }
        var text = ""
        for metric in ServerMetric.allCases {
            let name = metric.rawValue
            text += "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.rawValue)\n"
            let sorted = (samples[metric] ?? [:]).sorted {
                $0.key.lexicographicallyPrecedes($1.key)
            }
            for (_, sample) in sorted {
                for line in sample.handler.lines {
                    let labels = (sample.labels + line.labels)
                        .map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
                    // Values of labels are templates, methods and numbers, which need no escaping.
                    let place = labels.isEmpty ? "" : "{\(labels)}"
                    text += "\(name)\(line.suffix)\(place) \(line.value)\n"
                }
            }
        }
        return text
    }
}

/// A line of a sample: what follows the name of the metric, labels beside those of the sample, the number.
struct MetricsLine {
    var suffix = ""
    var labels: [(name: String, value: String)] = []
    var value: String
}

/// What is counted for one sample.
private protocol MetricsTextHandler: AnyObject, Sendable {
    var lines: [MetricsLine] { get }
}

private final class CounterText: CounterHandler, MetricsTextHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }

    var lines: [MetricsLine] { [MetricsLine(value: "\(count.load(ordering: .relaxed))")] }
}

private final class MeterText: MeterHandler, MetricsTextHandler {
    private let value = Lock(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    var lines: [MetricsLine] {
        let value = value.withLock { $0 }
        return [MetricsLine(value: Int64(exactly: value).map(String.init) ?? "\(value)")]
    }
}

private final class TimerText: TimerHandler, MetricsTextHandler {
    private let histogram = Lock(DurationHistogram())

    func recordNanoseconds(_ duration: Int64) {
        histogram.withLock { $0.record(Double(duration) / 1_000_000_000) }
    }

    var lines: [MetricsLine] {
        let histogram = histogram.withLock { $0 }
        return histogram.cumulative.map { border, count in
            MetricsLine(suffix: "_bucket", labels: [("le", "\(border)")], value: "\(count)")
        } + [
            MetricsLine(suffix: "_bucket", labels: [("le", "+Inf")], value: "\(histogram.count)"),
            MetricsLine(suffix: "_sum", value: "\(histogram.sum)"),
            MetricsLine(suffix: "_count", value: "\(histogram.count)"),
        ]
    }
}
