import CosmosModel
import SettleDocuments
import Testing

@testable import CosmosModel

@Suite struct `Partitions of a collection` {
    /// A key and its effective key, computed by the official Python library.
    struct Vector: Sendable {
        var definition: JSONValue
        var components: [JSONValue?]
        var expected: String
    }

    private static let large: JSONValue = ["paths": ["/a"], "kind": "Hash", "version": 2]
    private static let small: JSONValue = ["paths": ["/a"], "kind": "Hash"]
    private static let tree: JSONValue = [
        "paths": ["/a", "/b"], "kind": "MultiHash", "version": 2,
    ]

    static let vectors: [Vector] =
        [
            ("Bonn", "299B3D207B232A6B82E02463C2F9053F"),
            ("K\u{F6}ln", "28870BB7BC87CAFC8E34B6030CEF3B29"),
            ("", "32E9366E637A71B4E710384B2F4970A0"), (5, "19C08621B135968252FB34B4CF66F811"),
            (5.0, "19C08621B135968252FB34B4CF66F811"),
            (-1.5, "151793206780805FF6E1DCAE6C787B6A"),
            (true, "0E711127C5B5A8E4726AC6DD306A3E59"), (false, "2FE1BE91E90A3439635E0E9E37361EF2"),
            (JSONValue.null, "378867E4430E67857ACE5C908374FE16"),
            (nil, "11622DAA78F835834610ABE56EFF5CB5"),
            (
                .string(String(repeating: "x", count: 40)), "2BA5636E640ADF909D2628D73E44B2EC"
            ),
        ].map { Vector(definition: large, components: [$0.0], expected: $0.1) }
        + [
            ("Bonn", "05C1C78F7551200843706F6F00"),
            ("K\u{F6}ln", "05C1E37D6B5F8A084CC4B76D6F00"), (5.5, "05C1D7A771716C05C016"),
            (true, "05C1D7C5A903D803"), (nil, "05C1D529E345DC00"),
        ].map { Vector(definition: small, components: [$0.0], expected: $0.1) }
        + [
            Vector(
                definition: tree, components: ["Bonn", 1],
                expected: "299B3D207B232A6B82E02463C2F9053F20CD98B339BA78A5D0CF6953B87070B0"),
            Vector(
                definition: tree, components: ["A", .null],
                expected: "14F53A0810CE6727EB1CD722D321216F378867E4430E67857ACE5C908374FE16"),
        ]

    @Test(arguments: vectors) func `have the hashes of the client libraries`(
        vector: Vector
    ) throws {
        let definition = try PartitionKeyDefinition(of: ["partitionKey": vector.definition])
        let key = PartitionKeyValue(vector.components)
        #expect(EffectiveKey.text(of: key, in: definition) == vector.expected)
    }

    @Test(arguments: [1, 2]) func `have bounds that divide all keys`(version: Int) {
        for count in 1...9 {
            let bounds = PartitionKeyRange.bounds(count: count, version: version)
            #expect(bounds.count == count + 1)
            #expect(bounds.first == "" && bounds.last == "FF")
            #expect(bounds == bounds.sorted())
            #expect(Set(bounds).count == bounds.count)
        }
    }

    /// An account with documents in several ranges.
    private static func filled(_ ranges: Int, version: Int64 = 2) -> ModelAccount {
        var account = ModelAccount.shop(collection: [
            "partitionKey": ["paths": ["/city"], "kind": "Hash", "version": .integer(version)]
        ]) { $0.rangeCount = ranges }
        account.store(
            (0..<60).map { ["id": .string("\($0)"), "city": .string("city \($0 % 20)")] })
        return account
    }

    private static func ranges(_ account: inout ModelAccount) -> [JSONValue] {
        account.send("GET", ModelAccount.items + "/pkranges")
            .json["PartitionKeyRanges"]?.arrayValue ?? []
    }

    @Test(arguments: [1, 2] as [Int64]) func `are split in two that have all its documents`(
        version: Int64
    ) {
        var account = Self.filled(2, version: version)
        let headers: [HeaderName: String] = [.partitionKeyRangeID: "0"]
        let before = account.query("SELECT * FROM c", headers: headers).ids
        #expect(!before.isEmpty && before.count < 60)
        #expect(account.state.splitRange("0", ofCollectionAt: ModelAccount.items) == ["2", "3"])
        let gone = account.query("SELECT * FROM c", headers: headers)
        #expect(gone.status == 410 && gone[.subStatus] == "1002")
        #expect(
            account.send("GET", ModelAccount.documents, headers: headers)[.subStatus] == "1002")
        let ranges = Self.ranges(&account)
        #expect(ranges.map { $0["id"] } == ["2", "3", "1"])
        #expect(ranges[0]["parents"] == ["0"])
        #expect(ranges[0]["maxExclusive"] == ranges[1]["minInclusive"])
        let after = ["2", "3"].map { id in
            account.query("SELECT * FROM c", headers: [.partitionKeyRangeID: id]).ids
        }
        #expect(after.allSatisfy { !$0.isEmpty })
        #expect(after.flatMap(\.self).sorted() == before.sorted())
        #expect(account.state.splitRange("0", ofCollectionAt: ModelAccount.items) == [])
    }

    @Test(arguments: ["SELECT * FROM c", "SELECT * FROM c ORDER BY c.id"])
    func `may be split between two pages`(query: String) throws {
        var account = Self.filled(1)
        let size: [HeaderName: String] = [.maxItemCount: "7", .partitionKeyRangeID: "0"]
        let first = account.query(query, headers: size)
        let token = try #require(first[.continuation])
        account.state.splitRange("0", ofCollectionAt: ModelAccount.items)
        var found = first.ids
        for id in ["1", "2"] {
            var next: String? = token
            while let continuation = next {
                let page = account.query(
                    query,
                    headers: [
                        .maxItemCount: "7", .partitionKeyRangeID: id, .continuation: continuation,
                    ])
                #expect(page.status == 200)
                found += page.ids
                next = page[.continuation]
            }
        }
        #expect(found.count == 60 && Set(found).count == 60)
    }

    @Test func `are read one after the other, also when they are split and pages are empty`() {
        var account = Self.filled(3)
        var found: [String] = []
        var next: String?
        var pages = 0
        repeat {
            var headers: [HeaderName: String] = [
                .maxItemCount: "5", .enablesCrossPartition: "True",
            ]
            headers[.continuation] = next
            if pages == 3 { account.state.splitRange("1", ofCollectionAt: ModelAccount.items) }
            if pages == 5 { account.state.emptyPages = 1 }
            let page = account.query("SELECT * FROM c", headers: headers)
            if pages == 5 { #expect(page.ids == [] && page[.continuation] != nil) }
            found += page.ids
            next = page[.continuation]
            pages += 1
        } while next != nil
        #expect(found.count == 60 && Set(found).count == 60)
    }

    @Test func `need a flag for a query over all of them`() {
        var account = Self.filled(2)
        #expect(account.query("SELECT * FROM c", headers: [:]).status == 400)
        let ordered = account.query("SELECT * FROM c ORDER BY c.id")
        #expect(ordered.status == 400 && ordered[.subStatus] == "1004")
        #expect(
            account.query(
                "SELECT * FROM c ORDER BY c.id", headers: [.partitionKey: "[\"city 3\"]"]
            ).ids == ["23", "3", "43"])
    }

    @Test func `of a tree have a key of several values`() {
        var account = ModelAccount.shop(collection: ["partitionKey": Self.tree])
        let key: [HeaderName: String] = [.partitionKey: "[\"x\",1]"]
        let body: JSONValue = ["id": "1", "a": "x", "b": 1]
        #expect(account.send("POST", ModelAccount.documents, body, headers: key).status == 201)
        #expect(
            account.send("GET", ModelAccount.documents + "/1", headers: key).status == 200)
        let short = account.send(
            "GET", ModelAccount.documents + "/1", headers: [.partitionKey: "[\"x\"]"])
        #expect(short.status == 400)
    }

    @Test func `show changes since a point, the latest of each document and no deletions`() {
        var account = Self.filled(1)
        let read = { (account: inout ModelAccount, headers: [HeaderName: String]) in
            account.send(
                "GET", ModelAccount.documents,
                headers: headers.merging(
                    [.changeFeed: "Incremental feed", .partitionKeyRangeID: "0"]
                ) { first, _ in first })
        }
        let now = read(&account, [.ifNoneMatch: "*"])
        #expect(now.status == 304 && now[.etag] == "\"60\"")
        var found: [String] = []
        var etag: String?
        while true {
            var headers: [HeaderName: String] = [.maxItemCount: "25"]
            headers[.ifNoneMatch] = etag
            let page = read(&account, headers)
            etag = page[.etag]
            if page.status == 304 { break }
            found += page.ids
        }
        #expect(found == (0..<60).map(String.init))
        account.now = ModelTime(seconds: account.now.seconds + 10)
        account.store([["id": "3", "city": "city 3"], ["id": "3", "city": "city 3", "n": 1]])
        account.send("DELETE", ModelAccount.documents + "/4", key: "city 4")
        let changed = read(&account, [.ifNoneMatch: etag ?? ""])
        #expect(changed.ids == ["3"] && changed.documents[0]["n"] == 1)
        #expect(read(&account, [.ifNoneMatch: changed[.etag] ?? ""]).status == 304)
        #expect(read(&account, [.ifModifiedSince: account.now.httpDate]).ids == ["3"])
        #expect(read(&account, [.ifNoneMatch: "x"]).status == 400)
    }
}
