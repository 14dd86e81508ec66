import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

@Suite(.serialized) struct `CouchDB changes` {
    private func sequences(_ answer: Face.Answer) -> [String?] {
        answer.json["results"]?.arrayValue?.map { $0["id"]?.stringValue } ?? []
    }

    @Test func `have each document once, at its last change, with its leaves`() async throws {
        try await withFace { face async throws in
            for id in ["a", "b", "c"] { try await face.send("PUT", "/db/\(id)", "{}") }
            let body = #"{"new_edits":false,"docs":[{"_id":"a","_rev":"1-0"}]}"#
            try await face.send("POST", "/db/_bulk_docs", body)
            var answer = try await face.send("GET", "/db/_changes?style=all_docs")
            #expect(sequences(answer) == ["b", "c", "a"])
            #expect(answer.json["results"]?.arrayValue?[2]["changes"]?.arrayValue?.count == 2)
            #expect(answer.json["last_seq"] == "4-settle" && answer.json["pending"] == 0)
            answer = try await face.send("GET", "/db/_changes?limit=1&include_docs=true")
            #expect(sequences(answer) == ["b"] && answer.json["pending"] == 2)
            #expect(answer.json["results"]?.arrayValue?[0]["doc"]?["_id"] == "b")
            let since = answer.json["last_seq"]?.stringValue ?? ""
            #expect(
                sequences(try await face.send("GET", "/db/_changes?since=\(since)")) == ["c", "a"])
            #expect(sequences(try await face.send("GET", "/db/_changes?since=now")) == [])
            #expect(
                sequences(try await face.send("GET", "/db/_changes?descending=true&limit=1")) == [
                    "a"
                ])
            let some = try await face.send(
                "POST", "/db/_changes?filter=_doc_ids", #"{"doc_ids":["c","x"]}"#)
            #expect(sequences(some) == ["c"])
            #expect(try await face.send("GET", "/db/_changes?filter=d/f").status == 501)
            let revision = try await face.send("GET", "/db/c").json["_rev"]?.stringValue ?? ""
            try await face.send("DELETE", "/db/c?rev=\(revision)")
            let last = try await face.send("GET", "/db/_changes?since=4-settle")
            #expect(last.json["results"]?.arrayValue?[0]["deleted"] == true)
        }
    }

    @Test func `are waited for by so many readers at once and no more`() async throws {
        let face = try Face(clock: ManualClock(), liveReaders: LiveReaders(countMax: 3))
        try await face.send("PUT", "/db")
        let target = "/db/_changes?feed=continuous&since=now&heartbeat=60000"
        func respond() async -> CouchResponse {
            var request = CouchRequest("GET", target)
            request.address = "10.0.0.1"
            return await face.responder.respond(to: request)
        }
        do {
            // Half of all places are for one address.
            let first = await respond()
            #expect(first.status == 200)
            let second = await respond()
            #expect(second.status == 429)
            #expect(try JSONText.value(from: second.bytes)["error"] == "too_many_requests")
            // Lists that end by themselves wait for nothing.
            #expect(try await face.send("GET", "/db/_changes").status == 200)
            withExtendedLifetime(first) {}
        }
        let third = await respond()
        #expect(third.status == 200)
        var others: [CouchResponse] = []
        for address in ["10.0.0.2", "10.0.0.3", "10.0.0.4"] {
            var request = CouchRequest("GET", target)
            request.address = address
            others.append(await face.responder.respond(to: request))
        }
        #expect(others.map(\.status) == [200, 200, 503])
        withExtendedLifetime((third, others)) {}
        await face.databases.close()
    }

    @Test func `are waited for by a long poll, as long as it says`() async throws {
        let clock = ManualClock()
        try await withFace(clock: clock) { face async throws in
            async let answer = face.send("GET", "/db/_changes?feed=longpoll&since=now&timeout=5000")
            await clock.sleepers(reach: 1)
            try await face.send("PUT", "/db/x", "{}")
            #expect(sequences(try await answer) == ["x"])
            async let late = face.send("GET", "/db/_changes?feed=longpoll&since=now&timeout=5000")
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(5))
            #expect(sequences(try await late) == [])
        }
    }

    @Test func `come line by line, with a heartbeat while there are none`() async throws {
        let clock = ManualClock()
        try await withFace(clock: clock) { face async throws in
            try await face.send("PUT", "/db/a", "{}")
            let response = await face.respond(
                "GET", "/db/_changes?feed=continuous&heartbeat=1000&limit=2")
            guard case .stream(let stream) = response.body else {
                Issue.record("The feed is no stream.")
                return
            }
            var lines = stream.makeAsyncIterator()
            let first = try #require(await lines.next())
            #expect(try JSONText.value(from: first)["id"] == "a")
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(1))
            #expect(await lines.next() == [10])
            await clock.sleepers(reach: 1)
            try await face.send("PUT", "/db/b", "{}")
            let second = try #require(await lines.next())
            #expect(try JSONText.value(from: second)["id"] == "b")
            let last = try #require(await lines.next())
            #expect(try JSONText.value(from: last)["last_seq"] == "2-settle")
            #expect(await lines.next() == nil)
        }
    }

    @Test func `of many documents come in pieces, each once, in both directions`() async throws {
        try await withFace { face async throws in
            let text = String(repeating: "x", count: 1_000)
            let docs = (0..<1_300).map { "{\"_id\":\"d\(10_000 + $0)\",\"text\":\"\(text)\"}" }
            try await face.send(
                "POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}")
            let expected = (0..<1_300).map { "d\(10_000 + $0)" }
            let response = await face.respond("GET", "/db/_changes?include_docs=true")
            guard case .stream(let stream) = response.body else {
                Issue.record("A long answer is whole in memory.")
                return
            }
            var bytes: [UInt8] = []
            for await piece in stream { bytes += piece }
            let whole = Face.Answer(status: 200, json: try JSONText.value(from: bytes))
            #expect(sequences(whole) == expected && whole.json["last_seq"] == "1300-settle")
            let down = try await face.send("GET", "/db/_changes?descending=true")
            #expect(sequences(down) == expected.reversed() && down.json["last_seq"] == "1-settle")
            // Page by page.
            var (since, found): (String, [String?]) = ("0", [])
            while true {
                let page = try await face.send("GET", "/db/_changes?limit=450&since=\(since)").json
                found += sequences(Face.Answer(status: 200, json: page))
                since = page["last_seq"]?.stringValue ?? ""
                #expect(page["pending"] == .integer(Int64(1_300 - found.count)))
                if page["pending"] == 0 { break }
            }
            #expect(found == expected)
            let some = try await face.send(
                "POST", "/db/_changes?filter=_doc_ids&limit=1", #"{"doc_ids":["d11290","d11299"]}"#)
            #expect(sequences(some) == ["d11290"] && some.json["pending"] == 1)
        }
    }

    @Test func `that are waited for end at once when the server stops`() async throws {
        let (clock, shutdown) = (ManualClock(), ShutdownWatch())
        let face = try Face(clock: clock, shutdown: shutdown)
        try await face.send("PUT", "/db")
        async let answer = face.send(
            "GET", "/db/_changes?feed=longpoll&since=now&heartbeat=1")
        await clock.sleepers(reach: 1)
        // A heartbeat comes every second at most, whatever is asked for.
        clock.advance(by: .milliseconds(999))
        shutdown.begin()
        #expect(try await answer.json == ["results": [], "last_seq": "0-settle", "pending": 0])
        await face.databases.close()
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["continuous", "live", "eventsource", "longpoll"])
    func `that are not there end a feed after its timeout, a minute at most`(feed: String)
        async throws
    {
        for (timeout, seconds) in [("5000", 5), ("999999999999", 60)] {
            let clock = ManualClock()
            try await withFace(clock: clock) { face async throws in
                let response = await face.respond(
                    "GET", "/db/_changes?feed=\(feed)&since=now&timeout=\(timeout)")
                guard case .stream(let stream) = response.body else {
                    Issue.record("The feed is no stream.")
                    return
                }
                let text = Task {
                    var text: [UInt8] = []
                    for await piece in stream { text += piece }
                    return text
                }
                await clock.sleepers(reach: 1)
                clock.advance(by: .seconds(seconds) - .milliseconds(1))
                #expect(clock.sleeperCount == 1)
                clock.advance(by: .milliseconds(1))
                let all = await text.value
                #expect(feed == "eventsource" ? all.isEmpty : !all.isEmpty)
            }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["continuous", "eventsource", "longpoll"])
    func `are not waited for at all when the timeout is 0`(feed: String) async throws {
        // Of a clock that stands still nobody would ever wake.
        try await withFace(clock: ManualClock()) { face async throws in
            try await face.send("PUT", "/db/a", "{}")
            for since in ["0", "now"] {
                let response = await face.respond(
                    "GET", "/db/_changes?feed=\(feed)&since=\(since)&timeout=0")
                guard case .stream(let stream) = response.body else {
                    Issue.record("The feed is no stream.")
                    return
                }
                var text = ""
                for await piece in stream { text += String(decoding: piece, as: UTF8.self) }
                #expect(text.contains("\"id\":\"a\"") == (since == "0"), "\(text)")
            }
        }
    }

    @Test(.timeLimit(.minutes(2))) func `are waited for anew behind each that comes`()
        async throws
    {
        let clock = ManualClock()
        try await withFace(clock: clock) { face async throws in
            let response = await face.respond(
                "GET", "/db/_changes?feed=continuous&since=now&timeout=5000")
            guard case .stream(let stream) = response.body else {
                Issue.record("The feed is no stream.")
                return
            }
            let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            let reading = Task {
                for await piece in stream { continuation.yield(piece) }
                continuation.finish()
            }
            var lines = pieces.makeAsyncIterator()
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(3))
            try await face.send("PUT", "/db/a", "{}")
            let first = try #require(await lines.next())
            #expect(try JSONText.value(from: first)["id"] == "a")
            // Later than the first wait would have ended; what waits is woken by this, or begins now.
            clock.advance(by: .seconds(3))
            try await face.send("PUT", "/db/b", "{}")
            let second = try #require(await lines.next())
            #expect(try JSONText.value(from: second)["id"] == "b")
            reading.cancel()
        }
    }

    @Test(arguments: [
        ("heartbeat=0", 400), ("heartbeat=-1", 400), ("heartbeat=abc", 400), ("heartbeat=", 400),
        ("heartbeat=-99999999999999999999", 400), ("heartbeat=true", 200), ("heartbeat=5", 200),
        ("heartbeat=99999999999999999999", 200), ("timeout=-1", 400), ("feed=odd", 400),
    ])
    func `are asked for with numbers that are some`(query: String, status: Int) async throws {
        try await withFace { face async throws in
            #expect(try await face.send("GET", "/db/_changes?\(query)").status == status)
        }
    }

    @Test(arguments: ["true", "3600000", "99999999999999999999"])
    func `come with a sign of life each minute at least`(heartbeat: String) async throws {
        let clock = ManualClock()
        try await withFace(clock: clock) { face async throws in
            let response = await face.respond(
                "GET", "/db/_changes?feed=eventsource&since=now&heartbeat=\(heartbeat)")
            guard case .stream(let stream) = response.body else {
                Issue.record("The feed is no stream.")
                return
            }
            var lines = stream.makeAsyncIterator()
            await clock.sleepers(reach: 1)
            clock.advance(by: .seconds(60))
            #expect(await lines.next() == Array("event: heartbeat\ndata: \n\n".utf8))
        }
    }
}
