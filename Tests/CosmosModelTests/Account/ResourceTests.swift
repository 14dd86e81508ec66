import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Resources of an account` {
    @Test func `have identifiers in which those of their ancestors are`() throws {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let attachment = account.send(
            "POST", ModelAccount.documents + "/1/attachments", key: "Bonn",
            ["id": "photo", "contentType": "image/png", "media": "https://example.org/a.png"])
        let bodies = [
            account.send("GET", "dbs/shop").json, account.send("GET", ModelAccount.items).json,
            account.send("GET", ModelAccount.documents + "/1", key: "Bonn").json, attachment.json,
        ]
        let identifiers = try bodies.map {
            try #require(ResourceIdentifier(text: $0["_rid"]?.stringValue ?? ""))
        }
        #expect(identifiers.map(\.bytes.count) == [4, 8, 16, 20])
        #expect(zip(identifiers, identifiers.dropFirst()).allSatisfy { $1.parent == $0 })
        #expect(identifiers[1].bytes[4] & 0x80 != 0)
        let link = "dbs/\(identifiers[0])/colls/\(identifiers[1])/docs/\(identifiers[2])/"
        #expect(bodies[2]["_self"]?.stringValue == link)
        #expect(account.send("GET", link, key: "Bonn").json == bodies[2])
        #expect(account.send("GET", link, key: "Ulm").status == 404)
        #expect(bodies[2]["_attachments"] == "attachments/")
    }

    @Test func `of every kind are created, listed, read, replaced and deleted`() {
        var account = ModelAccount.shop()
        let bodies: [(String, JSONValue)] = [
            ("dbs/shop/users", ["id": "a"]),
            ("\(ModelAccount.items)/sprocs", ["id": "a", "body": "function () {}"]),
            (
                "\(ModelAccount.items)/triggers",
                [
                    "id": "a", "body": "function () {}", "triggerType": "Pre",
                    "triggerOperation": "All",
                ]
            ), ("\(ModelAccount.items)/udfs", ["id": "a", "body": "function () {}"]),
            ("dbs/shop/colls", ["id": "a", "partitionKey": ["paths": ["/x"], "kind": "Hash"]]),
        ]
        for (feed, body) in bodies {
            let created = account.send("POST", feed, body)
            #expect(created.status == 201, "\(feed)")
            #expect(created[.etag] == created.json["_etag"]?.stringValue)
            #expect(account.send("POST", feed, body).status == 409)
            #expect(account.send("GET", feed).json["_count"] == (feed.hasSuffix("colls") ? 2 : 1))
            #expect(account.send("GET", feed + "/a").json == created.json)
            var changed = created.json
            changed["more"] = true
            let replaced = account.send("PUT", feed + "/a", changed)
            #expect(replaced.status == 200 && replaced[.etag] != created[.etag])
            let late = account.send(
                "PUT", feed + "/a", changed, headers: [.ifMatch: created[.etag] ?? ""])
            #expect(late.status == 412)
            let known = account.send(
                "GET", feed + "/a", headers: [.ifNoneMatch: replaced[.etag] ?? ""])
            #expect(known.status == 304 && known.body.isEmpty)
            #expect(account.send("DELETE", feed + "/a").status == 204)
            #expect(account.send("GET", feed + "/a").status == 404)
        }
    }

    @Test func `are gone with what they were in`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        #expect(account.send("GET", "offers").json["_count"] == 1)
        #expect(account.send("DELETE", "dbs/shop").status == 204)
        let missing = account.send("GET", ModelAccount.documents + "/1", key: "Bonn")
        #expect(missing.status == 404 && missing[.subStatus] == "1003")
        #expect(account.send("GET", "offers").json["_count"] == 0)
        account.send("POST", "dbs", ["id": "shop"])
        #expect(account.send("GET", "dbs/shop/colls").json["_count"] == 0)
    }

    @Test func `are listed page by page`() {
        var account = ModelAccount()
        for number in 0..<5 { account.send("POST", "dbs", ["id": .string("d\(number)")]) }
        var found: [String] = []
        var next: String?
        repeat {
            var headers: [HeaderName: String] = [.maxItemCount: "2"]
            headers[.continuation] = next
            let page = account.send("GET", "dbs", headers: headers)
            found += (page.json["Databases"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
            next = page[.continuation]
        } while next != nil
        #expect(found == ["d0", "d1", "d2", "d3", "d4"])
    }

    @Test func `are made alike of the same seed`() {
        let rid = { (seed: UInt64) in
            var account = ModelAccount { $0.seed = seed }
            return account.send("POST", "dbs", ["id": "a"]).json["_etag"]
        }
        #expect(rid(7) == rid(7))
        #expect(rid(7) != rid(8))
    }

    @Test func `with an offer have their throughput in it`() throws {
        var account = ModelAccount.shop()
        let link = try #require(account.send("GET", ModelAccount.items).json["_self"])
        let found = account.query(
            "SELECT * FROM root WHERE root.resource = @link", parameters: ["@link": link],
            in: "offers")
        var offer = try #require(found.json["Offers"]?[0])
        #expect(offer["content"]?["offerThroughput"] == 400)
        offer["content"] = ["offerThroughput": 500]
        let path = "offers/\(offer["_rid"]?.stringValue ?? "")"
        #expect(account.send("PUT", path, offer).status == 200)
        #expect(account.send("GET", path).json["content"]?["offerThroughput"] == 500)
    }

    @Test(arguments: ["", "a/b", "a\\b", "a?b", "a#b", "a ", String(repeating: "x", count: 256)])
    func `have no such id`(id: String) {
        var account = ModelAccount.shop()
        #expect(account.send("POST", "dbs", ["id": .string(id)]).status == 400)
        let document = account.send(
            "POST", ModelAccount.documents, key: "Bonn", ["id": .string(id), "city": "Bonn"])
        #expect(document.status == 400)
    }

    @Test func `of scripts run what the table has for them`() {
        var account = ModelAccount.shop { configuration in
            configuration.scripts.procedures["count"] = { invocation in
                ScriptResult(
                    [
                        "count": .integer(Int64(invocation.documents.count)),
                        "arguments": .array(invocation.arguments),
                    ],
                    log: "done", upserts: [["id": "made", "city": "Bonn"]])
            }
            configuration.scripts.triggers["stamp"] = { document in
                var document = document
                document["stamped"] = true
                return document
            }
            configuration.scripts.functions["double"] = { arguments in
                arguments.first??.integerValue.map { .integer(2 * $0) }
            }
        }
        account.store([["id": "1", "city": "Bonn", "n": 4], ["id": "2", "city": "Ulm"]])
        for (kind, id) in [("sprocs", "count"), ("triggers", "stamp"), ("udfs", "double")] {
            account.send(
                "POST", "\(ModelAccount.items)/\(kind)",
                ["id": .string(id), "body": "function () {}"])
        }
        let result = account.send(
            "POST", ModelAccount.items + "/sprocs/count", key: "Bonn", [1, "x"],
            headers: [.scriptLogging: "True"])
        #expect(result.json == ["count": 1, "arguments": [1, "x"]])
        #expect(result[.scriptLog] == "done")
        #expect(account.send("POST", ModelAccount.items + "/sprocs/count", [1]).status == 400)
        #expect(account.send("GET", ModelAccount.documents + "/made", key: "Bonn").status == 200)
        let stamped = account.send(
            "POST", ModelAccount.documents, key: "Bonn", ["id": "3", "city": "Bonn"],
            headers: [.preTriggers: "stamp"])
        #expect(stamped.json["stamped"] == true)
        #expect(account.query("SELECT VALUE udf.double(c.n) FROM c").documents == [8])
        #expect(account.query("SELECT VALUE udf.triple(c.n) FROM c").status == 400)
    }

    @Test func `with media keep its bytes`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let feed = ModelAccount.documents + "/1/attachments"
        let key: [HeaderName: String] = [.partitionKey: "[\"Bonn\"]", .contentType: "image/png"]
        let created = account.send(
            "POST", feed, headers: key.merging([.slug: "photo"]) { first, _ in first },
            bytes: [1, 2, 3])
        #expect(created.status == 201)
        let media = created.json["media"]?.stringValue ?? ""
        #expect(account.send("GET", media).body == [1, 2, 3])
        #expect(account.send("GET", media)[.contentType] == "image/png")
        let replaced = account.send("PUT", feed + "/photo", headers: key, bytes: [4])
        #expect(replaced.status == 200)
        #expect(account.send("GET", media).body == [4])
        #expect(account.send("DELETE", feed + "/photo", headers: key).status == 204)
        #expect(account.send("GET", media).status == 404)
    }
}
