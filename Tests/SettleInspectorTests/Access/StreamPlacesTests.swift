import HTTPTypes
import Settle
import Testing

@testable import SettleInspector

@Suite struct `Places of streams of events` {
    @Test func `are limited by session and in all, and given up when they are released`() throws {
        let places = StreamPlaces()
        var taken: [StreamPlaces.Place] = []
        for session in 0..<4 {
            for _ in 0..<StreamPlaces.sessionCountMax {
                taken.append(try places.take("\(session)"))
            }
            let problem = #expect(throws: PageProblem.self) { try places.take("\(session)") }
            #expect(problem?.status == .tooManyRequests)
        }
        #expect(taken.count == StreamPlaces.countMax)
        let full = #expect(throws: PageProblem.self) { try places.take("late") }
        #expect(full?.status == .serviceUnavailable)
        taken.removeFirst()
        taken.append(try places.take("late"))
        #expect(throws: PageProblem.self) { try places.take("later") }
    }

    @Test func `are of no use to a browser whose session has ended`() async throws {
        let test = try await TestDatabase.open()
        let responder = try await TestInspector(test.database).inspector.responder
        let request = responder.pageRequest(
            test.database, try #require(FormValues(parsing: "name=x")))
        let place = try responder.streamPlaces.take("s")
        for (isValid, isTold) in [(true, true), (false, false)] {
            let lease = StreamLease(place: place) { isValid }
            let page = try await TestInspector.page(of: BuildStream(request, lease).response)
            #expect(page.text.contains("event: end") == isTold)
        }
        let lease = StreamLease(place: place) { false }
        let events = try EventStream(request, lastEventId: "0", lease)
        try await test.add([["id": "a"]])
        let page = try await TestInspector.page(of: events.response)
        #expect(!page.text.contains("event:"))
        await test.close()
    }
}
