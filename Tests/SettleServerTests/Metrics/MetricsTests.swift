import CoreMetrics
import Foundation
import HTTPTypes
import MetricsTestKit
import Settle
import Testing

@testable import SettleServer

@Suite(.serialized) struct `Metrics` {
    /// A line of the text: a name, labels and a number.
    private struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    /// Reads the text form strictly; nil when a line breaks its rules.
    private static func samples(_ text: String) -> [Sample]? {
        guard text.hasSuffix("\n") else { return nil }
        var types: [String: String] = [:]
        var samples: [Sample] = []
        var seen: Set<String> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# HELP ") { continue }
            if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                guard parts.count == 4, types[String(parts[2])] == nil,
                    ["counter", "gauge", "histogram"].contains(parts[3])
                else { return nil }
                types[String(parts[2])] = String(parts[3])
                continue
            }
            guard
                let match = line.wholeMatch(
                    of: /([a-z_]+)(?:\{([^}]*(?:\{[^}]*\}[^}]*)*)\})? ([0-9.e+-]+)/),
                let value = Double(match.3), seen.insert(String(match.1 + (match.2 ?? ""))).inserted
            else { return nil }
            var labels: [String: String] = [:]
            for pair in match.2?.split(separator: ",") ?? [] {
                guard let parts = pair.wholeMatch(of: /([a-z]+)="([^"\\]*)"/) else { return nil }
                labels[String(parts.1)] = String(parts.2)
            }
            let name = String(match.1)
            let family = name.replacing(/_(bucket|sum|count)$/, with: "")
            guard types[name] != nil || types[family] == "histogram" else { return nil }
            samples.append(Sample(name: name, labels: labels, value: value))
        }
        return samples
    }

    private static func sum(
        _ samples: [Sample], _ name: String, _ labels: [String: String] = [:]
    ) -> Double {
        samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }.map(\.value).reduce(0, +)
    }

    @Test func `say what was asked, and nothing of who and what`() async throws {
        try await TestServer.run(authentication: .jwt(secret: RulesServer.secret)) { server in
            let token = try await RulesServer.token("ann-of-arden", [:], server)
            let item: JSONValue = ["id": "very-secret-id", "text": "secret text"]
            for _ in 0..<3 {
                _ = try await server.send(.post, "/tables/secret_table", item, token: token)
            }
            _ = try await server.send(.get, "/tables/secret_table/very-secret-id", token: token)
            _ = try await server.send(.get, "/tables/secret_table?$top=1", token: token)
            _ = try await server.send(.get, "/tables/secret_table")
            _ = try await server.raw(.get, "/nowhere/secret")
            _ = try await server.raw(try #require(.init(rawValue: "SECRET")), "/healthz")
            let reply = try await server.raw(.get, "/metrics")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == MetricsText.contentType)
            let text = String(decoding: reply.bytes, as: UTF8.self)
            #expect(!text.lowercased().contains("secret") && !text.contains("arden"))
            let samples = try #require(Self.samples(text))
            let name = "settle_http_requests_total"
            let table = ["route": "/tables/{table}"]
            #expect(Self.sum(samples, name) == 8)
            #expect(Self.sum(samples, name, table) == 5)
            #expect(Self.sum(samples, name, table.merging(["status": "201"]) { $1 }) == 1)
            #expect(Self.sum(samples, name, table.merging(["status": "409"]) { $1 }) == 2)
            #expect(Self.sum(samples, name, table.merging(["status": "401"]) { $1 }) == 1)
            #expect(
                Self.sum(samples, name, ["route": "/tables/{table}/{id}", "method": "GET"]) == 1)
            #expect(Self.sum(samples, name, ["route": "unknown", "status": "404"]) == 1)
            #expect(Self.sum(samples, name, ["method": "other", "status": "405"]) == 1)
            #expect(Self.sum(samples, "settle_http_refusals_total") == 5)
            #expect(Self.sum(samples, "settle_http_refusals_total", ["status": "409"]) == 2)
            let duration = "settle_http_request_duration_seconds"
            #expect(Self.sum(samples, duration + "_count") == 8)
            #expect(Self.sum(samples, duration + "_bucket", ["le": "+Inf"]) == 8)
            // The request that asks is under way.
            #expect(Self.sum(samples, "settle_http_requests_in_flight") == 1)
            #expect(Self.sum(samples, "settle_token_failures_total") == 1)
            let again = try await server.raw(.get, "/metrics")
            let later = try #require(Self.samples(String(decoding: again.bytes, as: UTF8.self)))
            #expect(Self.sum(later, name, ["route": "/metrics"]) == 1)
            #expect(
                Self.sum(later, "settle_http_sent_bytes_total")
                    - Self.sum(samples, "settle_http_sent_bytes_total")
                    == Double(reply.bytes.count))
        }
    }

    @Test func `have no more lines, whatever is asked`() async throws {
        try await TestServer.run { server in
            for method in ["GET", "BREW", "PROPFIND"] {
                for path in ["/tables/t", "/x", "/tables/t/a"] {
                    _ = try await server.send(try #require(.init(rawValue: method)), path)
                }
            }
            func lines() async throws -> Int {
                let reply = try await server.raw(.get, "/metrics")
                return String(decoding: reply.bytes, as: UTF8.self).split(separator: "\n").count
            }
            _ = try await lines()
            let before = try await lines()
            for number in 0..<200 {
                _ = try await server.send(.get, "/tables/t\(number)")
                _ = try await server.send(.get, "/tables/t/id\(number)")
                _ = try await server.send(.get, "/x\(number)")
                _ = try await server.send(
                    try #require(.init(rawValue: "BREW\(number)")), "/tables/t")
            }
            #expect(try await lines() == before)
        }
    }

    @Test func `count in buckets what took how long`() {
        var histogram = DurationHistogram()
        let seconds = [0, 0.001, 0.0011, 0.3, 10, 10.5, 1e9]
        for second in seconds { histogram.record(second) }
        for (border, count) in histogram.cumulative {
            #expect(count == seconds.count { $0 <= border }, "\(border)")
        }
        #expect(histogram.count == seconds.count)
        #expect(histogram.sum == seconds.reduce(0, +))
    }

    @Test func `count readers and items as they are told`() {
        let exporter = MetricsText()
        let metrics = ServerMetrics(exporter, bodyBytesMax: 100)
        metrics.liveReaderBegan()
        metrics.liveReaderBegan()
        metrics.liveReaderEnded()
        metrics.itemsRead(5)
        metrics.itemsWritten(2)
        for _ in 0..<7 { metrics.connections.increment() }
        let text = exporter.text
        #expect(Self.samples(text) != nil)
        for line in [
            "settle_live_readers 1", "settle_items_read_total 5", "settle_items_written_total 2",
            "settle_connections_open 7",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
    }

    @Test func `come with the same numbers to the back-end that an app chooses`() async throws {
        for servesMetrics in [true, false] {
            let given = TestMetrics()
            try await TestServer.run(configure: {
                $0.metrics = given
                $0.servesMetrics = servesMetrics
            }) { server in
                given.reset()
                _ = try await server.send(.post, "/tables/t", ["id": "a"])
                _ = try await server.send(.get, "/tables/t")
                _ = try await server.send(.get, "/tables/t/none")
                let table = [("route", "/tables/{table}"), ("method", "GET"), ("status", "200")]
                let lists = try given.expectCounter("settle_http_requests_total", table)
                #expect(lists.totalValue == 1)
                let refusals = try given.expectCounter(
                    "settle_http_refusals_total", [("status", "404")])
                #expect(refusals.totalValue == 1)
                let durations = try given.expectTimer(
                    "settle_http_request_duration_seconds", [("route", "/tables/{table}")])
                #expect(durations.values.count == 2 && durations.values.allSatisfy { $0 > 0 })
                #expect(durations.displayUnit == .seconds)
                guard servesMetrics else { return }
                let reply = try await server.raw(.get, "/metrics")
                let samples = try #require(
                    Self.samples(String(decoding: reply.bytes, as: UTF8.self)))
                #expect(
                    Self.sum(samples, "settle_http_requests_total", ["method": "GET"]) == 2)
                #expect(Self.sum(samples, "settle_items_written_total") == 1)
                #expect(Self.sum(samples, "settle_http_refusals_total", ["status": "404"]) == 1)
            }
        }
    }

    @Test func `have no sum that a sender brings to its end with lengths that are lies`() {
        let exporter = MetricsText()
        let given = TestMetrics()
        let metrics = ServerMetrics(
            MultiplexMetricsHandler(factories: [exporter, given]), bodyBytesMax: 100)
        for length in [7, Int.max, Int.max] {
            metrics.requestBegan()
            metrics.requestEnded(
                route: "/x", method: .post, status: 413, duration: .milliseconds(3),
                received: length, sent: 5)
        }
        let text = exporter.text
        for line in [
            "settle_http_received_bytes_total 207", "settle_http_sent_bytes_total 15",
            "settle_http_requests_in_flight 0",
            "settle_http_request_duration_seconds_bucket{route=\"/x\",le=\"0.0025\"} 0",
            "settle_http_request_duration_seconds_bucket{route=\"/x\",le=\"0.005\"} 3",
            "settle_http_requests_total{route=\"/x\",method=\"POST\",status=\"413\"} 3",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
        #expect(given.counterTotal(label: "settle_http_received_bytes_total") == 207)
    }

    @Test func `are not there when they are not to be`() async throws {
        try await TestServer.run(configure: { $0.servesMetrics = false }) { server in
            let metrics = try await server.raw(.get, "/metrics")
            #expect(metrics.status == 404)
            #expect(try await server.raw(.get, "/healthz").status == 200)
        }
    }
}
