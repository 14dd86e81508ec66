import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Documents of the service` {
    private let feed = ModelAccount.documents
    private let bonn: JSONValue = ["id": "1", "city": "Bonn", "n": 1]

    @Test func `are created once and replaced by upserts`() {
        var account = ModelAccount.shop()
        let created = account.send("POST", feed, key: "Bonn", bonn)
        #expect(created.status == 201)
        #expect(account.send("POST", feed, key: "Bonn", bonn).status == 409)
        let upsert = account.send("POST", feed, key: "Bonn", bonn, headers: [.isUpsert: "True"])
        #expect(upsert.status == 200 && upsert.json["_rid"] == created.json["_rid"])
        #expect(upsert[.etag] != created[.etag])
        let other = account.send(
            "POST", feed, key: "Ulm", ["id": "1", "city": "Ulm"], headers: [.isUpsert: "True"])
        #expect(other.status == 201)
    }

    @Test func `are changed by those who have seen the latest version`() {
        var account = ModelAccount.shop()
        let first = account.send("POST", feed, key: "Bonn", bonn)[.etag] ?? ""
        let path = feed + "/1"
        let second =
            account.send(
                "PUT", path, key: "Bonn", bonn, headers: [.ifMatch: first])[.etag] ?? ""
        for (method, body) in [
            ("PUT", bonn), ("DELETE", nil),
            ("PATCH", ["operations": [["op": "set", "path": "/n", "value": 2]]]),
        ] as [(String, JSONValue?)] {
            let response = account.send(
                method, path, key: "Bonn", body, headers: [.ifMatch: first])
            #expect(response.status == 412, "\(method)")
        }
        let upsert = account.send(
            "POST", feed, key: "Bonn", bonn, headers: [.isUpsert: "true", .ifMatch: first])
        #expect(upsert.status == 412)
        let known = account.send("GET", path, key: "Bonn", headers: [.ifNoneMatch: second])
        #expect(known.status == 304 && known[.etag] == second)
        #expect(
            account.send("GET", path, key: "Bonn", headers: [.ifNoneMatch: first]).status == 200)
        let since: [HeaderName: String] = [.ifModifiedSince: account.now.httpDate]
        #expect(account.send("GET", path, key: "Bonn", headers: since).status == 304)
        #expect(
            account.send("DELETE", path, key: "Bonn", headers: [.ifMatch: second]).status == 204)
        #expect(account.send("DELETE", path, key: "Bonn").status == 404)
    }

    @Test func `need their partition key`() {
        var account = ModelAccount.shop()
        account.send("POST", feed, key: "Bonn", bonn)
        #expect(account.send("POST", feed, bonn).status == 400)
        let mismatch = account.send("POST", feed, key: "Ulm", bonn)
        #expect(mismatch.status == 400 && mismatch[.subStatus] == "1001")
        #expect(account.send("GET", feed + "/1").status == 400)
        #expect(account.send("GET", feed + "/1", key: "Ulm").status == 404)
        #expect(account.send("GET", feed + "/1", headers: [.partitionKey: "Bonn"]).status == 400)
        #expect(
            account.send("GET", feed + "/1", headers: [.partitionKey: "[\"Bonn\",1]"]).status
                == 400)
        for (key, value) in [
            ("[1]", 1), ("[null]", JSONValue.null), ("[true]", true), ("[1.5]", 1.5),
        ] as [(String, JSONValue)] {
            let created = account.send(
                "POST", feed, ["id": "2", "city": value], headers: [.partitionKey: key])
            #expect(created.status == 201, "\(key)")
        }
        let none = account.send("POST", feed, ["id": "2"], headers: [.partitionKey: "[{}]"])
        #expect(none.status == 201)
        let array = account.send(
            "POST", feed, ["id": "2", "city": []], headers: [.partitionKey: "[{}]"])
        #expect(array.status == 400)
    }

    @Test(arguments: [(1, 100), (2, 2_048)]) func `have keys of limited length`(
        version: Int64, limit: Int
    ) {
        var account = ModelAccount.shop(collection: [
            "partitionKey": ["paths": ["/city"], "kind": "Hash", "version": .integer(version)]
        ])
        let status = { (account: inout ModelAccount, count: Int) in
            let city = String(repeating: "x", count: count)
            return account.send(
                "POST", ModelAccount.documents, key: city, ["id": "1", "city": .string(city)]
            ).status
        }
        #expect(status(&account, limit) == 201)
        #expect(status(&account, limit + 1) == 400)
    }

    @Test func `with large keys need a version that has them`() {
        var account = ModelAccount()
        account.send("POST", "dbs", ["id": "shop"])
        let response = account.send(
            "POST", "dbs/shop/colls",
            ["id": "a", "partitionKey": ["paths": ["/x"], "kind": "Hash", "version": 2]],
            headers: [.version: "2017-02-22"])
        #expect(response.status == 400)
    }

    @Test func `are not larger than two megabytes`() {
        var account = ModelAccount.shop()
        var large = bonn
        large["text"] = .string(String(repeating: "x", count: (2 << 20) - 46))
        let size = large.jsonText.utf8.count
        large["text"] = .string(String(repeating: "x", count: (2 << 20) - 46 + (2 << 20) - size))
        #expect(large.jsonText.utf8.count == 2 << 20)
        #expect(account.send("POST", feed, key: "Bonn", large).status == 201)
        large["m"] = 1
        #expect(account.send("PUT", feed + "/1", key: "Bonn", large).status == 413)
    }

    @Test func `live as long as they and their collection say`() {
        var account = ModelAccount.shop(collection: ["defaultTtl": 100])
        account.store([
            ["id": "1", "city": "Bonn"], ["id": "2", "city": "Bonn", "ttl": 300],
            ["id": "3", "city": "Bonn", "ttl": -1],
        ])
        account.now = ModelTime(seconds: account.now.seconds + 100)
        #expect(account.send("GET", feed, key: "Bonn").ids == ["2", "3"])
        #expect(account.send("GET", feed + "/1", key: "Bonn").status == 404)
        #expect(account.query("SELECT * FROM c").ids == ["2", "3"])
        #expect(account.send("POST", feed, key: "Bonn", ["id": "1", "city": "Bonn"]).status == 201)
        account.now = ModelTime(seconds: account.now.seconds + 300)
        #expect(account.send("GET", feed, key: "Bonn").ids == ["3"])
        let wrong: JSONValue = ["id": "4", "city": "Bonn", "ttl": 0]
        #expect(account.send("POST", feed, key: "Bonn", wrong).status == 400)
    }

    @Test func `have unique values where their collection wants them`() {
        var account = ModelAccount.shop(collection: [
            "uniqueKeyPolicy": ["uniqueKeys": [["paths": ["/name"]]]]
        ])
        account.store([["id": "1", "city": "Bonn", "name": "a"]])
        let same = account.send(
            "POST", feed, key: "Bonn", ["id": "2", "city": "Bonn", "name": "a"])
        #expect(same.status == 409)
        let other = account.send("POST", feed, key: "Ulm", ["id": "2", "city": "Ulm", "name": "a"])
        #expect(other.status == 201)
    }

    @Test func `without an index are listed and not found by queries`() {
        var account = ModelAccount.shop()
        account.send("POST", feed, key: "Bonn", bonn, headers: [.indexingDirective: "Exclude"])
        #expect(account.send("GET", feed, key: "Bonn").ids == ["1"])
        #expect(account.query("SELECT * FROM c").ids == [])
        account.send(
            "PUT", feed + "/1", key: "Bonn", bonn, headers: [.indexingDirective: "Include"])
        #expect(account.query("SELECT * FROM c").ids == ["1"])
    }

    @Test func `come with what the service says of them and their collection`() {
        var account = ModelAccount.shop()
        let created = account.send("POST", feed, key: "Bonn", bonn)
        #expect(created[.sessionToken] == "0:-1#1")
        #expect(created[.alternateContentPath] == "dbs/shop/colls/items")
        #expect(created[.requestCharge] == "5.24")
        #expect(created[.resourceUsage]?.contains("documentsCount=1;") == true)
        #expect(created[.resourceQuota] != nil && created[.activityID] != nil)
        #expect(created[.schemaVersion] != nil && created[.serviceVersion] != nil)
        let list = account.send("GET", feed, key: "Bonn")
        #expect(list[.itemCount] == "1" && list.json["_count"] == 1)
        let minimal = account.send(
            "PUT", feed + "/1", key: "Bonn", bonn, headers: [.prefer: "return=minimal"])
        #expect(minimal.status == 200 && minimal.body.isEmpty && minimal[.etag] != nil)
    }

    @Test func `are read as a replica has them, unless the session has seen more`() {
        var account = ModelAccount.shop()
        account.send("POST", feed, key: "Bonn", bonn)
        account.state.holdReplica()
        let written = account.send("PUT", feed + "/1", key: "Bonn", ["id": "1", "city": "Bonn"])
        let read = { (account: inout ModelAccount, headers: [HeaderName: String]) in
            account.send("GET", ModelAccount.documents + "/1", key: "Bonn", headers: headers)
                .json["n"]
        }
        #expect(read(&account, [:]) == 1)
        #expect(read(&account, [.sessionToken: "0:-1#1"]) == 1)
        #expect(read(&account, [.sessionToken: written[.sessionToken] ?? ""]) == nil)
        #expect(read(&account, [.consistencyLevel: "Strong"]) == nil)
        #expect(account.query("SELECT VALUE c.n FROM c").documents == [1])
        account.send("POST", feed, key: "Bonn", ["id": "2", "city": "Bonn"])
        #expect(account.send("GET", feed + "/2", key: "Bonn").status == 404)
        account.state.releaseReplica()
        #expect(read(&account, [:]) == nil)
    }

    @Test func `with an odd id are read where the service has them`() throws {
        var account = ModelAccount.shop()
        try account.state.plant(
            ["id": "a?b", "city": "Bonn"], inCollectionAt: ModelAccount.items, at: account.now)
        #expect(account.send("GET", feed + "/a?b", key: "Bonn").status == 200)
        #expect(account.query("SELECT * FROM c").ids == ["a?b"])
    }

    @Test func `are not read in a session that the service has not reached`() {
        var account = ModelAccount.shop()
        account.send("POST", feed, key: "Bonn", bonn)
        let read = { (account: inout ModelAccount, token: String) in
            account.send(
                "GET", ModelAccount.documents + "/1", key: "Bonn", headers: [.sessionToken: token])
        }
        #expect(read(&account, "0:-1#1").status == 200)
        let ahead = read(&account, "0:-1#2")
        #expect(ahead.status == 404 && ahead[.subStatus] == "1002")
        #expect(read(&account, "x").status == 400)
    }
}
