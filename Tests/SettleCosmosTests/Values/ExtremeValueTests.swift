import CosmosModel
import Foundation
import Settle
import Testing

@testable import SettleCosmos

/// Dates and continuations that no sensible app has, and that must not end it.
@Suite struct `Extreme values` {
    @Test func `of dates are those that a header can say`() {
        func seconds(_ interval: Double) -> Int64 {
            Date(timeIntervalSince1970: interval).secondsSince1970
        }
        #expect(seconds(1.9) == 1 && seconds(-0.1) == -1)
        #expect(seconds(.nan) == 0)
        #expect(seconds(.infinity) == 253_402_300_799)
        #expect(seconds(1e300) == 253_402_300_799)
        #expect(seconds(-.infinity) == -62_135_596_800)
        #expect(Date.distantFuture.secondsSince1970 < seconds(.infinity))
    }

    @Test func `are taken by the change feed and by conditional gets`() async throws {
        let account = try await ModelAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        let link = Cosmos.Link.document("1", inCollection: "people", inDatabase: "crm")
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
            var count = 0
            for try await page in account.client.changes(
                ofDocumentsAs: Person.self, inCollection: "people", inDatabase: "crm",
                from: .date(date))
            {
                count += page.items.count
            }
            #expect(count == (date == .distantPast ? 1 : 0))
            let read: Cosmos.Response<Cosmos.DocumentResource<Person>?> =
                try await account.client.get(
                    Cosmos.DocumentResource<Person>.self, at: link, ifModifiedSince: date,
                    withPartitionKey: "Bern")
            #expect((read.resource != nil) == (date == .distantPast))
        }
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-1", "1e300",
    ])
    func `of numbers in a continuation are no reason to crash`(_ number: String) async throws {
        let account = try await ModelAccount(rangeCount: 2)
        for id in 1...3 { try await account.create(Person(id: "\(id)", city: "c\(id)", age: id)) }
        for text in [
            "SELECT COUNT(1) AS n FROM c", "SELECT * FROM c ORDER BY c.age OFFSET 1 LIMIT 1",
        ] {
            for member in ["given", "skip", "left"] {
                let continuation = #"q1:{"parts":[],"\#(member)":\#(number)}"#
                do {
                    let page = try await account.client.query(
                        documentPropertiesAcrossAllPartitionsIn: "people", inDatabase: "crm",
                        with: Cosmos.Query(text), maxPerPage: 1_000, continuation: continuation
                    ).first()
                    #expect(page.resource.count <= 3)
                } catch {
                    #expect(error.kind == .resourceRequestError)
                }
            }
        }
    }
}
