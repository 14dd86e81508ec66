import SettleOData
import SettleSync
import SettleTableProtocol
import Testing

@testable import SettleREST

@Suite(.serialized) struct `OData filter` {
    private func time(_ text: String) throws -> RowTime {
        try #require(RowTime(text))
    }

    @Test func `asks for items after a time and an identifier, in the words of each version`()
        throws
    {
        let cursor = PullCursor.after(try time("2021-01-02T00:00:00.123Z"), id: "e'1")
        let filter = try #require(cursor.filter(.plain))
        #expect(
            try filter.text(for: .v3)
                == "updatedAt gt datetimeoffset'2021-01-02T00:00:00.123Z' or "
                + "updatedAt eq datetimeoffset'2021-01-02T00:00:00.123Z' and id gt 'e''1'")
        #expect(
            try filter.text(for: .v4)
                == "updatedAt gt cast(2021-01-02T00:00:00.123Z,Edm.DateTimeOffset) or "
                + "updatedAt eq cast(2021-01-02T00:00:00.123Z,Edm.DateTimeOffset) "
                + "and id gt 'e''1'")
    }

    @Test func `asks for items of one unit of time`() throws {
        let start = try time("2021-01-02T00:00:59.999Z")
        let cursor = PullCursor.bucket(start, digits: 3, after: "a")
        #expect(
            try cursor.filter(.underscored)?.text(for: .v3)
                == "__updatedAt ge datetimeoffset'2021-01-02T00:00:59.999Z' and "
                + "__updatedAt lt datetimeoffset'2021-01-02T00:01:00.000Z' and id gt 'a'")
        #expect(cursor.order(.underscored) == "id")
    }

    @Test func `asks for items at a time in the very words of the server`() throws {
        for text in [
            "2021-01-02T00:00:00.123456789Z", "2021-01-02T00:00:00+0130", "2021-01-02T00:00:00",
        ] {
            let cursor = PullCursor.from(try time(text))
            #expect(
                try cursor.filter(.plain)?.text(for: .v3)
                    == "updatedAt ge datetimeoffset'\(text)'")
            #expect(
                try cursor.filter(.plain)?.text(for: .v4)
                    == "updatedAt ge cast(\(text),Edm.DateTimeOffset)")
        }
    }

    @Test func `asks for items in any of some channels`() throws {
        let filter = ODataFilter.containsAny(column: "channels", ["a", "it's"])
        for version in [ODataVersion.v3, .v4] {
            #expect(
                try filter.text(for: version) == "channels/any(c: c eq 'a' or c eq 'it''s')")
        }
    }

    @Test func `takes whatever an app may build, deep as it is`() throws {
        var deep: ODataPredicate = .field("a") == 1
        for _ in 0..<98 { deep = !deep }
        let time = try time("2021-01-02T00:00:00Z")
        let cursor = try #require(PullCursor.from(time).filter(.plain))
        for version in [ODataVersion.v3, .v4] {
            let text = try deep.text(for: version)
            let whole = ODataNode.conjunction([deep.node, cursor])
            #expect(
                try whole.text(for: version, levelsAround: ODataFilter.levelsMax).hasPrefix(text))
            #expect(throws: ReplicationError.self) { try (!deep).text(for: version) }
        }
    }

    @Test func `is percent-encoded so that nothing in it means anything to a URL`() {
        #expect(
            PercentEncoding.queryValue("a eq 'x&y=z+1 #%\u{E9}'")
                == "a%20eq%20'x%26y%3Dz%2B1%20%23%25%C3%A9'")
    }
}
