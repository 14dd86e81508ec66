import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `The page of the server` {
    private static let report = """
        # HELP settle_http_requests_total Requests that were answered.
        # TYPE settle_http_requests_total counter
        settle_http_requests_total{route="/tables/{table}",method="GET",status="200"} 12
        settle_http_requests_total{route="/tables/{table}",method="POST",status="409"} 3
        settle_http_refusals_total{status="409"} 3
        settle_http_request_duration_seconds_bucket{route="/tables/{table}",le="0.001"} 10
        settle_http_request_duration_seconds_bucket{route="/tables/{table}",le="0.0025"} 14
        settle_http_request_duration_seconds_bucket{route="/tables/{table}",le="+Inf"} 15
        settle_live_readers 2
        nonsense
        settle_items_read_total 1.5e3
        """

    @Test func `reads what a server has counted`() {
        let samples = MetricsSample.samples(in: Self.report)
        #expect(samples.count == 8)
        #expect(
            samples[0].labels == ["route": "/tables/{table}", "method": "GET", "status": "200"])
        #expect(samples.last?.value == 1_500)
    }

    @Test func `draws requests, refusals and latencies`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database, metrics: Self.report)
        let text = try await inspector.page("server").text
        #expect(text.contains("/tables/{table} GET 200: 12"))
        #expect(text.contains("up to 2.5 ms: 4") && text.contains("longer: 1"))
        #expect(text.contains("<dt>Live readers</dt><dd><bdi>2</bdi>"))
        await test.close()
    }

    @Test func `says that there is none`() async throws {
        let test = try await TestDatabase.open()
        let inspector = try await TestInspector(test.database)
        #expect(try await inspector.page("server").text.contains("No server of tables runs"))
        await test.close()
    }
}
