import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `OData filter` {
    @Test func `doubles quotes in strings`() {
        #expect(ODataFilter.literal("it's") == "'it''s'")
        #expect(ODataFilter.literal("'") == "''''")
        #expect(ODataFilter.literal("") == "''")
        #expect(ODataFilter.literal("a' or 1 eq 1 or b eq '") == "'a'' or 1 eq 1 or b eq '''")
    }

    @Test func `asks for items after a time and an identifier`() throws {
        let position = TablePosition(
            time: "2021-01-02T00:00:00.123Z", id: "e'1", version: "MQ==")
        #expect(
            position.filterWithinPull.text
                == "(updatedAt gt datetimeoffset'2021-01-02T00:00:00.123Z' or "
                + "(updatedAt eq datetimeoffset'2021-01-02T00:00:00.123Z' and id gt 'e''1'))")
    }

    @Test func `asks for items in any of some channels`() {
        let filter = ODataFilter.containsAny(column: "channels", ["a", "it's"])
        #expect(filter.text == "channels/any(c: c eq 'a' or c eq 'it''s')")
    }

    @Test func `is percent-encoded so that nothing in it means anything to a URL`() {
        #expect(
            PercentEncoding.queryValue("a eq 'x&y=z+1 #%\u{E9}'")
                == "a%20eq%20'x%26y%3Dz%2B1%20%23%25%C3%A9'")
    }

    @Test(arguments: ["2021-01-02T00:00:00.123Z", "2021-01-02T00:00:00.1234567+02:00"])
    func `takes a time as the server wrote it`(time: String) throws {
        var position = TablePosition(time: time, id: "a|b'c", version: "M|%Q==")
        position.skipCount = 7
        #expect(TablePosition(position.token) == position)
    }

    @Test(arguments: [
        "", "x", "1|x|a|", "2021' or 1 eq 1|0|a|", "2021|-1|a|", "2021|0|a", "2021|0|a|b|c",
    ])
    func `takes no other text for a position`(token: String) {
        #expect(TablePosition(PullToken(token)) == nil)
    }
}
