import Foundation
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Table position` {
    @Test func `is the same after a round trip through its token`() throws {
        let time = try #require(RowTime("2021-01-02T00:00:00.1234567+02:00"))
        let cursors: [PullCursor] = [
            .after(time, id: "a|b'c,\u{E9}"), .from(time), .bucket(time, digits: 3, after: nil),
            .bucket(time, digits: 0, after: "x,y|z"), .skip(time, count: 7),
        ]
        for cursor in cursors {
            for mark in TablePosition.Mark.allCases {
                for finality in [.all, .unknown, .until(time)] as [TablePosition.Finality] {
                    for digits in [nil, 0, 9] {
                        for dialect in AzureTablesBackend.Dialect.all {
                            let clocks = ServerClocks(
                                server: Date(timeIntervalSince1970: 1_700_000_000),
                                local: Date(timeIntervalSince1970: -5))
                            var position = TablePosition(
                                cursor: cursor,
                                last: .init(
                                    time: time, id: "a|b'c,\u{E9}", version: "M|%Q==", mark: mark,
                                    number: digits == nil ? nil : 0x0BAD_CAFE),
                                digits: digits, finality: finality,
                                clocks: digits == nil ? nil : clocks, dialect: dialect)
                            #expect(TablePosition(position.token) == position)
                            position.unsure = TablePosition.Unit(start: time, digits: digits ?? 3)
                            #expect(TablePosition(position.token) == position)
                        }
                    }
                }
            }
        }
    }

    @Test func `has the text that the format's description shows`() throws {
        let text =
            "t2|v2|after|2021-01-03T00:00:00.500Z|r9|Mg%3D%3D|s||2021-01-03T00:00:07.000Z"
            + "|1609632017,1609632016|35db960e"
        let position = try #require(TablePosition(PullToken(text)))
        #expect(position.token.text == text)
        // Those of earlier releases end before the number.
        let old = "t1|" + text.dropFirst(3).dropLast(9)
        var plain = position
        plain.last.number = nil
        #expect(TablePosition(PullToken(old)) == plain)
    }

    @Test(arguments: [
        "", "x", "t1", "2021-01-03T00:00:00.500Z|0|r9|Mg%3D%3D",
        "t2|v2|after|2021-01-03T00:00:00.500Z|r9||s||all|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0",
        "t3|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0",
        "t2|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||x",
        "t2|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||100000000",
        "t2|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0|2021-01-03T00:00:00.500Z,3",
        "t3|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0|",
        "t3|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0|2021-01-03T00:00:00.500Z",
        "t3|v2|after|2021-01-03T00:00:00.500Z|r9||s||all||0|2021-01-03T00:00:00.500Z,10",
        "t1|v9|after|2021-01-03T00:00:00.500Z|r9||s||all|",
        "t1|v2|before|2021-01-03T00:00:00.500Z|r9||s||all|",
        "t1|v2|after|2021-01-03' or 1 eq 1|r9||s||all|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|||s||all|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|r9||x||all|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|r9||s|10|all|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|r9||s||some|",
        "t1|v2|after|2021-01-03T00:00:00.500Z|r9||s||all|1",
        "t1|v2|skip,2021-01-03T00:00:00.500Z,-1|2021-01-03T00:00:00.500Z|r9||s||all|",
        "t1|v2|bucket,2021-01-03T00:00:00.500Z,12,|2021-01-03T00:00:00.500Z|r9||s||all|",
    ])
    func `is read from no other text`(token: String) {
        #expect(TablePosition(PullToken(token)) == nil)
    }

    @Test func `notices a step back of the server's clock, and nothing else`() {
        let then = ServerClocks(
            server: Date(timeIntervalSince1970: 1_000), local: Date(timeIntervalSince1970: 5_000))
        func step(server: Double, local: Double) -> Double? {
            then.stepBack(
                until: ServerClocks(
                    server: Date(timeIntervalSince1970: server),
                    local: Date(timeIntervalSince1970: local)),
                tolerance: 5)
        }
        #expect(step(server: 1_100, local: 5_100) == nil)
        #expect(step(server: 1_096, local: 5_100) == nil)
        #expect(step(server: 1_000, local: 5_100) == 100)
        #expect(step(server: 2_000, local: 5_100) == nil)
        // Our own clock went back, too: what is left of it is still seen.
        #expect(step(server: 900, local: 4_000) == 100)
    }
}
