import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Queries of the service` {
    private static let documents: [JSONValue] = [
        [
            "id": "1", "city": "x", "n": 3, "name": "Ann", "tags": ["a", "b"],
            "in": ["deep": ["n": 1]], "place": ["type": "Point", "coordinates": [2.0, 1.0]],
        ],
        [
            "id": "2", "city": "x", "n": 1.5, "name": "bob's \"x\"", "tags": [],
            "place": ["type": "Point", "coordinates": [10.0, 50.0]],
        ], ["id": "3", "city": "x", "n": .null, "flag": true, "tags": ["b"]],
        ["id": "4", "city": "x", "n": "3", "flag": false], ["id": "5", "city": "x", "n": true],
        ["id": "6", "city": "x", "name": "anna"], ["id": "7", "city": "x", "n": 3, "group": "g"],
    ]

    private static func results(
        _ query: String, parameters: [String: JSONValue] = [:]
    ) -> ServiceResponse {
        var account = ModelAccount.shop { $0.needsCompositeIndexes = false }
        account.store(documents)
        return account.query(query, parameters: parameters, headers: [.partitionKey: "[\"x\"]"])
    }

    @Test(arguments: [
        ("SELECT * FROM c", "1234567"), ("select * from Families f where f.id = '2'", "2"),
        ("SELECT * FROM c WHERE c.n = 3", "17"), ("SELECT * FROM c WHERE c.n = 3.0", "17"),
        ("SELECT * FROM c WHERE c.n != 3", "2"), ("SELECT * FROM c WHERE c.n <> '3'", ""),
        ("SELECT * FROM c WHERE c.n > 1.5", "17"), ("SELECT * FROM c WHERE c.n >= 1.5", "127"),
        ("SELECT * FROM c WHERE c.n < '4'", "4"), ("SELECT * FROM c WHERE c.n = null", "3"),
        ("SELECT * FROM c WHERE NOT c.n = 3", "2"),
        ("SELECT * FROM c WHERE c.none = 1 OR c.id = '1'", "1"),
        ("SELECT * FROM c WHERE NOT (c.none = 1 AND c.id = '1')", "234567"),
        ("SELECT * FROM c WHERE c.flag", "3"), ("SELECT * FROM c WHERE NOT c.flag", "4"),
        ("SELECT * FROM c WHERE c.n IN (1.5, '3')", "24"),
        ("SELECT * FROM c WHERE c.n NOT IN (1.5, 3)", "345"),
        ("SELECT * FROM c WHERE c.n BETWEEN 1 AND 2 AND c.city = 'x'", "2"),
        ("SELECT * FROM c WHERE c.name LIKE 'A%'", "1"),
        ("SELECT * FROM c WHERE c.name LIKE '%nn_'", "6"),
        ("SELECT * FROM c WHERE c.name LIKE '[a-b]%'", "26"),
        ("SELECT * FROM c WHERE c.name = 'bob\\'s \"x\"'", "2"),
        ("SELECT * FROM c WHERE c[\"name\"] = \"bob's \\\"x\\\"\"", "2"),
        ("SELECT * FROM c WHERE c.in.deep.n = 1", "1"),
        ("SELECT * FROM c WHERE c.tags[1] = 'b'", "1"),
        ("SELECT * FROM c WHERE c.n + 1 = 4", "17"),
        ("SELECT * FROM c WHERE c.n * 2 % 4 = 2", "17"),
        ("SELECT * FROM c WHERE c.id || c.city = '3x'", "3"),
        ("SELECT * FROM c WHERE (c.n ?? 'none') = 'none'", "6"),
        ("SELECT * FROM c WHERE (c.flag ? 'yes' : 'no') = 'yes'", "3"),
        ("SELECT * FROM c WHERE CONTAINS(c.name, 'nn')", "16"),
        ("SELECT * FROM c WHERE STARTSWITH(c.name, 'an', true)", "16"),
        ("SELECT * FROM c WHERE ENDSWITH(c.name, 'a')", "6"),
        ("SELECT * FROM c WHERE UPPER(c.name) = 'ANN' AND LOWER(c.name) = 'ann'", "1"),
        ("SELECT * FROM c WHERE LENGTH(c.name) = 4", "6"),
        ("SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 'b')", "13"),
        ("SELECT * FROM c WHERE ARRAY_LENGTH(c.tags) = 0", "2"),
        ("SELECT * FROM c WHERE IS_DEFINED(c.n)", "123457"),
        ("SELECT * FROM c WHERE IS_NULL(c.n)", "3"), ("SELECT * FROM c WHERE IS_STRING(c.n)", "4"),
        ("SELECT * FROM c WHERE IS_NUMBER(c.n)", "127"),
        ("SELECT * FROM c WHERE IS_BOOL(c.n)", "5"),
        ("SELECT * FROM c WHERE FLOOR(c.n) = 1 AND CEILING(c.n) = 2", "2"),
        ("SELECT * FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'b')", "13"),
        ("SELECT * FROM c ORDER BY c.n", "6352174"),
        ("SELECT * FROM c ORDER BY c.n DESC", "4172536"),
        ("SELECT * FROM c ORDER BY c.city, c.id DESC", "7654321"),
        ("SELECT TOP 2 * FROM c ORDER BY c.id DESC", "76"),
        ("SELECT * FROM c ORDER BY c.id OFFSET 2 LIMIT 3", "345"),
        ("SELECT * FROM c -- all of them\nWHERE c.id = '1'", "1"),
        (
            "SELECT * FROM c WHERE ST_DISTANCE(c.place, {'type': 'Point', 'coordinates': [2.0, 1.02]}) < 3000.0",
            "1"
        ),
        (
            "SELECT * FROM c WHERE ST_WITHIN(c.place, {'type': 'Polygon', 'coordinates': "
                + "[[[0, 0], [5, 0], [5, 5], [0, 5], [0, 0]]]})", "1"
        ),
        (
            "SELECT * FROM c WHERE ST_INTERSECTS(c.place, {'type': 'LineString', 'coordinates': "
                + "[[9, 49], [11, 51]]})", "2"
        ),
    ])
    func `find what their condition says`(query: String, expected: String) {
        let response = Self.results(query)
        #expect(response.status == 200, "\(response.json)")
        #expect(response.ids.joined() == expected)
    }

    @Test(
        arguments: [
            ("SELECT VALUE COUNT(1) FROM c", [7]), ("SELECT VALUE COUNT(c.name) FROM c", [3]),
            ("SELECT VALUE SUM(c.n) FROM c WHERE IS_NUMBER(c.n)", [7.5]),
            ("SELECT VALUE AVG(c.n) FROM c WHERE c.n = 3", [3]),
            ("SELECT VALUE MAX(c.n) FROM c", ["3"]),
            ("SELECT VALUE MIN(c.id) FROM c", ["1"]), ("SELECT VALUE AVG(c.none) FROM c", []),
            ("SELECT COUNT(1) AS many FROM c WHERE c.id = '0'", [["many": 0]]),
            ("SELECT c.id, c.n AS number FROM c WHERE c.id = '1'", [["id": "1", "number": 3]]),
            ("SELECT c.id, c.none FROM c WHERE c.id = '1'", [["id": "1"]]),
            (
                "SELECT VALUE {'k': c.id, 'l': [c.n, c.none]} FROM c WHERE c.id = '7'",
                [["k": "7", "l": [3]]]
            ),
            ("SELECT VALUE t FROM c JOIN t IN c.tags", ["a", "b", "b"]),
            (
                "SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = 'b'",
                [["id": "1", "t": "b"], ["id": "3", "t": "b"]]
            ),
            ("SELECT VALUE d.n FROM c.in.deep AS d", [1]),
            ("SELECT VALUE t FROM t IN c.tags", ["a", "b", "b"]),
            ("SELECT DISTINCT VALUE c.n FROM c WHERE IS_NUMBER(c.n)", [3, 1.5]),
            (
                "SELECT c.n, COUNT(1) AS many FROM c WHERE IS_NUMBER(c.n) GROUP BY c.n",
                [["n": 3, "many": 2], ["n": 1.5, "many": 1]]
            ),
            ("SELECT VALUE 10 / 4 FROM c WHERE c.id = '1'", [2.5]),
            ("SELECT VALUE 10 / 5 FROM c WHERE c.id = '1'", [2]),
            ("SELECT VALUE -c.n FROM c WHERE c.id = '1'", [-3]),
            ("SELECT VALUE CONCAT(c.id, '-', c.city) FROM c WHERE c.id = '1'", ["1-x"]),
        ] as [(String, [JSONValue])])
    func `give what they select`(query: String, expected: [JSONValue]) {
        let response = Self.results(query)
        #expect(response.status == 200, "\(response.json)")
        #expect(response.documents == expected)
    }

    @Test func `take parameters of every type`() {
        for value in [3, "3", true, .null] as [JSONValue] {
            let found = Self.results("SELECT * FROM c WHERE c.n = @p", parameters: ["@p": value])
            #expect(found.documents.allSatisfy { $0["n"] == value } && !found.ids.isEmpty)
        }
        #expect(Self.results("SELECT * FROM c WHERE c.n = @p").status == 400)
    }

    @Test(arguments: [
        "", "SELECT", "SELECT *", "SELECT * FROM", "SELECT * FROM c WHERE",
        "SELECT * FROM c WHERE c.",
        "SELECT * FROM c WHERE c.n = 'x", "SELECT * FROM c WHERE (c.n = 1", "SELECT * FROM c c c",
        "SELECT * FROM c WHERE NOPE(c.n)", "SELECT * FROM c ORDER c.n", "DELETE FROM c",
        "SELECT * FROM c; SELECT * FROM c", "SELECT * FROM c WHERE c.n = 1 AND",
        "SELECT * FROM c WHERE c.n BETWEEN 1", "SELECT * FROM c JOIN t IN c.tags",
    ])
    func `that are none are refused`(query: String) {
        let response = Self.results(query)
        // A query without FROM is one; it selects nothing of a document.
        #expect(response.status == 400 || query == "SELECT *", "\(query)")
    }

    @Test(arguments: [
        "SELECT * FROM c ORDER BY c.n", "SELECT * FROM c ORDER BY c.n DESC OFFSET 1 LIMIT 5",
        "SELECT TOP 6 * FROM c ORDER BY c.id", "SELECT * FROM c",
    ])
    func `come page by page as they would come at once`(query: String) {
        var account = ModelAccount.shop()
        account.store(Self.documents)
        let key: [HeaderName: String] = [.partitionKey: "[\"x\"]"]
        let whole = account.query(query, headers: key).ids
        for size in 1...7 {
            var found: [String] = []
            var next: String?
            repeat {
                var headers = key
                headers[.maxItemCount] = String(size)
                headers[.continuation] = next
                let page = account.query(query, headers: headers)
                #expect(page.ids.count <= size)
                found += page.ids
                next = page[.continuation]
            } while next != nil
            #expect(found == whole, "pages of \(size)")
        }
    }

    @Test(arguments: [
        ("c.a, c.in.b DESC", 200), ("c.a DESC, c.in.b", 200), ("c.a, c.in.b", 400),
        ("c.in.b DESC, c.a", 400), ("c.a", 200),
    ])
    func `in the order of several members need an index of them`(order: String, status: Int) {
        let index: JSONValue = [
            ["path": "/a", "order": "ascending"], ["path": "/in/b", "order": "descending"],
        ]
        var account = ModelAccount.shop(collection: [
            "indexingPolicy": ["compositeIndexes": [index]]
        ])
        let response = account.query(
            "SELECT * FROM c ORDER BY \(order)", headers: [.partitionKey: "[\"x\"]"])
        #expect(response.status == status)
    }
}
