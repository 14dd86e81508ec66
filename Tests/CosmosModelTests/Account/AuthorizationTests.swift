import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Authorization of requests` {
    private let date = ModelAccount().now.httpDate

    @Test func `needs a signature of this request by a key of the account`() {
        var account = ModelAccount.shop()
        let items = ModelAccount.items
        #expect(account.send("GET", items).status == 200)
        #expect(account.send("GET", items, authorization: "").status == 401)
        for authorization in [
            ModelAccount.authorization("DELETE", items, date: date),
            ModelAccount.authorization("GET", "dbs/shop", date: date),
            ModelAccount.authorization("GET", items.uppercased(), date: date),
            ModelAccount.authorization("GET", items, date: "Thu, 01 Jan 1970 00:00:00 GMT"),
            ModelAccount.authorization("GET", items, date: date, key: "c2VjcmV0"),
            "type=master&ver=1.0&sig=", "sig=abc", "type=other&ver=1.0&sig=abc",
        ] {
            let response = account.send("GET", items, authorization: authorization)
            #expect(response.status == 401, "\(authorization)")
            #expect(response.json["code"] == "Unauthorized")
        }
    }

    @Test func `with a key for reading refuses writes`() {
        var account = ModelAccount.shop { $0.readOnlyKeys = ["cmVhZA=="] }
        let read = ModelAccount.authorization(
            "GET", "dbs/shop", date: date, key: "cmVhZA==")
        let write = ModelAccount.authorization(
            "DELETE", "dbs/shop", date: date, key: "cmVhZA==")
        #expect(account.send("GET", "dbs/shop", authorization: read).status == 200)
        #expect(account.send("DELETE", "dbs/shop", authorization: write).status == 403)
    }

    @Test func `refuses dates that are far from the clock where it is told to`() {
        var account = ModelAccount.shop { $0.dateToleranceSeconds = 900 }
        let signed = ModelAccount.authorization("GET", "dbs", date: date)
        #expect(account.send("GET", "dbs", authorization: signed).status == 200)
        let earlier = "Thu, 01 Jan 1970 00:00:00 GMT"
        let old = ModelAccount.authorization("GET", "dbs", date: earlier)
        let request = ServiceRequest(
            method: "GET", segments: ["dbs"],
            headers: ["authorization": old, "x-ms-date": earlier])
        #expect(account.state.respond(to: request, at: account.now).status == 403)
    }

    /// A token for a permission of a new user.
    private func token(
        _ account: inout ModelAccount, mode: String, resource: String = ModelAccount.items,
        key: JSONValue? = nil, seconds: String = "3600"
    ) -> String {
        account.send("POST", "dbs/shop/users", ["id": "ann"])
        var body: JSONValue = [
            "id": "p", "permissionMode": .string(mode), "resource": .string(resource),
        ]
        body["resourcePartitionKey"] = key
        let response = account.send(
            "POST", "dbs/shop/users/ann/permissions", body, headers: [.expirySeconds: seconds])
        #expect(response.status == 201)
        return ModelAccount.escaped(response.json["_token"]?.stringValue ?? "")
    }

    @Test func `with a token for a collection covers what is in it, and nothing else`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let token = token(&account, mode: "All")
        let key: [HeaderName: String] = [.partitionKey: "[\"Bonn\"]"]
        let one = ModelAccount.documents + "/1"
        #expect(account.send("GET", ModelAccount.items, authorization: token).status == 200)
        #expect(account.send("GET", one, headers: key, authorization: token).status == 200)
        #expect(account.send("DELETE", one, headers: key, authorization: token).status == 204)
        #expect(account.send("GET", "dbs/shop", authorization: token).status == 403)
        #expect(account.send("GET", "dbs/shop/colls", authorization: token).status == 403)
        #expect(account.send("GET", "", authorization: token).status == 200)
        #expect(account.send("GET", one, authorization: token + "x").status == 401)
    }

    @Test func `with a token for reading allows queries, and no writes`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let token = token(&account, mode: "Read")
        let key: [HeaderName: String] = [.partitionKey: "[\"Bonn\"]"]
        let query = key.merging([.isQuery: "True"]) { first, _ in first }
        let found = account.send(
            "POST", ModelAccount.documents, ["query": "SELECT * FROM c"], headers: query,
            authorization: token)
        #expect(found.ids == ["1"])
        let created = account.send(
            "POST", ModelAccount.documents, ["id": "2", "city": "Bonn"], headers: key,
            authorization: token)
        #expect(created.status == 403)
    }

    @Test func `with a token may use each that the permission is shown with`() {
        var account = ModelAccount.shop()
        let created = token(&account, mode: "All")
        let path = "dbs/shop/users/ann/permissions"
        let tokens = [
            account.send("GET", path + "/p").json["_token"],
            account.send("GET", path).json["Permissions"]?[0]?["_token"],
        ].map { ModelAccount.escaped($0?.stringValue ?? "") }
        #expect(Set(tokens + [created]).count == 3)
        for token in tokens {
            #expect(account.send("GET", ModelAccount.items, authorization: token).status == 200)
        }
    }

    @Test func `with a token ends with its time`() {
        var account = ModelAccount.shop()
        let token = token(&account, mode: "All", seconds: "60")
        #expect(account.send("GET", ModelAccount.items, authorization: token).status == 200)
        account.now = ModelTime(seconds: account.now.seconds + 60)
        #expect(account.send("GET", ModelAccount.items, authorization: token).status == 403)
    }

    @Test func `with a token for a partition key covers no other`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"], ["id": "1", "city": "Ulm"]])
        let token = token(&account, mode: "All", key: ["Bonn"])
        let path = ModelAccount.documents + "/1"
        let status = { (account: inout ModelAccount, city: String) in
            account.send(
                "GET", path, headers: [.partitionKey: "[\"\(city)\"]"], authorization: token
            ).status
        }
        #expect(status(&account, "Bonn") == 200)
        #expect(status(&account, "Ulm") == 403)
    }

    @Test(arguments: ["9", "18001", "x"]) func `makes no token for other times`(seconds: String) {
        var account = ModelAccount.shop()
        account.send("POST", "dbs/shop/users", ["id": "ann"])
        let response = account.send(
            "POST", "dbs/shop/users/ann/permissions",
            ["id": "p", "permissionMode": "All", "resource": .string(ModelAccount.items)],
            headers: [.expirySeconds: seconds])
        #expect(response.status == 400)
    }

    @Test func `with an access token is for data alone`() {
        var account = ModelAccount.shop { configuration in
            configuration.accessTokens = [
                "all": AccessToken(), "read": AccessToken(mode: .read),
                "old": AccessToken(expires: ModelTime(seconds: 1)),
            ]
        }
        let header = { (token: String) in ModelAccount.escaped("type=aad&ver=1.0&sig=\(token)") }
        let create = { (account: inout ModelAccount, token: String) in
            account.send(
                "POST", ModelAccount.documents, ["id": .string(token), "city": "Bonn"],
                headers: [.partitionKey: "[\"Bonn\"]"], authorization: header(token)
            ).status
        }
        #expect(create(&account, "all") == 201)
        #expect(create(&account, "read") == 403)
        #expect(create(&account, "old") == 401)
        #expect(create(&account, "none") == 401)
        #expect(account.send("GET", "dbs", authorization: header("read")).status == 200)
        let database = account.send(
            "POST", "dbs", ["id": "other"], authorization: header("all"))
        #expect(database.status == 403 && database[.subStatus] == "5300")
    }
}
