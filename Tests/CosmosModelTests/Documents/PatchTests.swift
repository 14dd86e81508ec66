import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Patches of documents` {
    private static func patched(
        _ operations: [JSONValue], condition: String? = nil
    ) -> ServiceResponse {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn", "n": 1, "tags": ["a", "c"], "in": ["x": 1]]])
        var body: JSONValue = ["operations": .array(operations)]
        if let condition { body["condition"] = .string(condition) }
        return account.send(
            "PATCH", ModelAccount.documents + "/1", key: "Bonn", body,
            headers: [.contentType: "application/json_patch+json"])
    }

    @Test func `change what they name`() {
        let response = Self.patched([
            ["op": "add", "path": "/tags/1", "value": "b"],
            ["op": "set", "path": "/in/y", "value": 2],
            ["op": "replace", "path": "/tags/0", "value": "z"],
            ["op": "incr", "path": "/n", "value": 1.5],
            ["op": "incr", "path": "/new", "value": 3],
            ["op": "move", "from": "/in/x", "path": "/x"],
            ["op": "remove", "path": "/tags/2"],
            ["op": "add", "path": "/tags/-", "value": "end"],
        ])
        #expect(response.status == 200)
        #expect(response.json["tags"] == ["z", "b", "end"])
        #expect(response.json["in"] == ["y": 2])
        #expect(response.json["n"] == 2.5)
        #expect(response.json["new"] == 3)
        #expect(response.json["x"] == 1)
    }

    @Test(
        arguments: [
            ["op": "replace", "path": "/none", "value": 1], ["op": "remove", "path": "/none"],
            ["op": "set", "path": "/none/deep", "value": 1],
            ["op": "add", "path": "/tags/5", "value": 1],
            ["op": "incr", "path": "/tags", "value": 1],
            ["op": "incr", "path": "/n", "value": "1"],
            ["op": "set", "path": "/id", "value": "2"],
            ["op": "set", "path": "/city", "value": "Ulm"],
            ["op": "set", "path": "/_etag", "value": ""], ["op": "jump", "path": "/n", "value": 1],
            ["op": "set", "path": "n", "value": 1], ["op": "set", "path": "/n"],
        ] as [JSONValue])
    func `are refused where they cannot`(operation: JSONValue) {
        #expect(Self.patched([operation]).status == 400)
    }

    @Test func `have ten operations at most`() {
        let one: JSONValue = ["op": "incr", "path": "/n", "value": 1]
        #expect(Self.patched(Array(repeating: one, count: 10)).json["n"] == 11)
        #expect(Self.patched(Array(repeating: one, count: 11)).status == 400)
        #expect(Self.patched([]).status == 400)
    }

    @Test func `may have a condition`() {
        let one: JSONValue = ["op": "incr", "path": "/n", "value": 1]
        #expect(Self.patched([one], condition: "FROM c WHERE c.n = 1").status == 200)
        #expect(Self.patched([one], condition: "from c where c.n = 2").status == 412)
    }
}
