import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Plans of queries over several ranges` {
    private static func plan(_ query: String) -> ServiceResponse {
        var account = ModelAccount.shop()
        return account.query(
            query,
            headers: [
                .isQueryPlan: "True", .enablesCrossPartition: "True", .isQuery: "False",
                .contentType: "application/json",
            ])
    }

    @Test(arguments: [
        ("SELECT * FROM c", ""), ("SELECT TOP 2 * FROM c", ""),
        (
            "SELECT * FROM c WHERE c.a = 1 OR c.b = 2 ORDER BY c.n DESC",
            #"SELECT c._rid, [{"item": c.n}] AS orderByItems, c AS payload FROM c "#
                + "WHERE (c.a = 1 OR c.b = 2) AND ({documentdb-formattableorderbyquery-filter}) "
                + "ORDER BY c.n DESC"
        ),
        (
            "SELECT c.a, c.b AS d FROM c ORDER BY c.a, c.b OFFSET 3 LIMIT 4",
            #"SELECT c._rid, [{"item": c.a}, {"item": c.b}] AS orderByItems, "#
                + #"{"a": c.a, "d": c.b} AS payload FROM c "#
                + "WHERE ({documentdb-formattableorderbyquery-filter}) "
                + "ORDER BY c.a ASC, c.b ASC OFFSET 0 LIMIT 7"
        ),
        (
            "SELECT VALUE COUNT(1) FROM c WHERE c.a = 1",
            #"SELECT VALUE [{"item": COUNT(1)}] FROM c WHERE c.a = 1"#
        ),
        (
            "SELECT VALUE AVG(c.n) FROM c",
            #"SELECT VALUE [{"item": {"sum": SUM(c.n), "count": COUNT(c.n)}}] FROM c"#
        ), ("SELECT * FROM c OFFSET 1 LIMIT 2", "SELECT * FROM c OFFSET 0 LIMIT 3"),
        (
            "SELECT MAX(c.n) AS most, AVG(c.n) AS mean FROM c",
            #"SELECT {"most": {"item": MAX(c.n)}, "#
                + #""mean": {"item": {"sum": SUM(c.n), "count": COUNT(c.n)}}} AS payload FROM c"#
        ),
        (
            "SELECT c.a, COUNT(1) AS n FROM c WHERE c.b = 1 GROUP BY c.a",
            #"SELECT [{"item": c.a}] AS groupByItems, {"a": c.a, "n": {"item": COUNT(1)}} "#
                + "AS payload FROM c WHERE c.b = 1 GROUP BY c.a"
        ),
    ])
    func `have a query for each range`(query: String, expected: String) {
        let response = Self.plan(query)
        #expect(response.status == 200)
        #expect(response.json["queryInfo"]?["rewrittenQuery"]?.stringValue == expected)
    }

    @Test func `say how results are put together`() {
        let info = Self.plan("SELECT DISTINCT TOP 3 VALUE c.a FROM c ORDER BY c.a DESC")
            .json["queryInfo"]
        #expect(info?["distinctType"] == "Ordered")
        #expect(info?["top"] == 3)
        #expect(info?["orderBy"] == ["Descending"])
        #expect(info?["hasSelectValue"] == true)
        #expect(
            Self.plan("SELECT VALUE MAX(c.a) FROM c").json["queryInfo"]?["aggregates"] == ["Max"])
        let grouped = Self.plan("SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a")
            .json["queryInfo"]
        #expect(grouped?["groupByExpressions"] == ["c.a"])
        #expect(grouped?["groupByAliases"] == ["a", "n"])
        #expect(grouped?["groupByAliasToAggregateType"] == ["a": .null, "n": "Count"])
    }

    @Test(arguments: [
        "SELECT VALUE 1 + COUNT(1) FROM c", "SELECT",
    ])
    func `are not made of other queries`(query: String) {
        #expect(Self.plan(query).status == 400)
    }
}
