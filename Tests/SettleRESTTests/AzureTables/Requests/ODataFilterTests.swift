import SettleSync
import Testing

@testable import SettleREST
import SettleTableProtocol

@Suite(.serialized) struct `OData filter` {
    @Test func `doubles quotes in strings`() {
        #expect(ODataFilter.literal("it's") == "'it''s'")
        #expect(ODataFilter.literal("'") == "''''")
        #expect(ODataFilter.literal("") == "''")
        #expect(ODataFilter.literal("a' or 1 eq 1 or b eq '") == "'a'' or 1 eq 1 or b eq '''")
    }

    private func time(_ text: String) throws -> RowTime {
        try #require(RowTime(text))
    }

    @Test func `asks for items after a time and an identifier, in the words of each version`()
        throws
    {
        let cursor = PullCursor.after(try time("2021-01-02T00:00:00.123Z"), id: "e'1")
        let filter = try #require(cursor.filter(.plain))
        #expect(
            filter.text(for: .v3)
                == "(updatedAt gt datetimeoffset'2021-01-02T00:00:00.123Z' or "
                + "(updatedAt eq datetimeoffset'2021-01-02T00:00:00.123Z' and id gt 'e''1'))")
        #expect(
            filter.text(for: .v4)
                == "(updatedAt gt cast(2021-01-02T00:00:00.123Z,Edm.DateTimeOffset) or "
                + "(updatedAt eq cast(2021-01-02T00:00:00.123Z,Edm.DateTimeOffset) "
                + "and id gt 'e''1'))")
    }

    @Test func `asks for items of one unit of time`() throws {
        let start = try time("2021-01-02T00:00:59.999Z")
        let cursor = PullCursor.bucket(start, digits: 3, after: "a")
        #expect(
            cursor.filter(.underscored)?.text(for: .v3)
                == "(__updatedAt ge datetimeoffset'2021-01-02T00:00:59.999Z' and "
                + "__updatedAt lt datetimeoffset'2021-01-02T00:01:00.000Z' and id gt 'a')")
        #expect(cursor.order(.underscored) == "id")
    }

    @Test func `asks for items in any of some channels`() {
        let filter = ODataFilter.containsAny(column: "channels", ["a", "it's"])
        for version in [ODataVersion.v3, .v4] {
            #expect(
                filter.text(for: version) == "channels/any(c: c eq 'a' or c eq 'it''s')")
        }
    }

    @Test func `is percent-encoded so that nothing in it means anything to a URL`() {
        #expect(
            PercentEncoding.queryValue("a eq 'x&y=z+1 #%\u{E9}'")
                == "a%20eq%20'x%26y%3Dz%2B1%20%23%25%C3%A9'")
    }
}
