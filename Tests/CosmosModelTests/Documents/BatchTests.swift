import CosmosModel
import SettleDocuments
import Testing

@Suite struct `Batches of operations` {
    private static func send(
        _ account: inout ModelAccount, _ operations: [JSONValue],
        headers: [HeaderName: String] = [.isBatchAtomic: "True"]
    ) -> ServiceResponse {
        account.send(
            "POST", ModelAccount.documents, key: "Bonn", .array(operations),
            headers: headers.merging([.isBatch: "True"]) { first, _ in first })
    }

    private static func codes(_ response: ServiceResponse) -> [Int64] {
        (response.json.arrayValue ?? []).compactMap { $0["statusCode"]?.integerValue }
    }

    private static func create(_ id: String) -> JSONValue {
        [
            "operationType": "Create", "resourceBody": ["id": .string(id), "city": "Bonn"],
        ]
    }

    @Test func `are carried out in order`() {
        var account = ModelAccount.shop()
        let response = Self.send(
            &account,
            [
                Self.create("1"), ["operationType": "Read", "id": "1"],
                [
                    "operationType": "Upsert",
                    "resourceBody": ["id": "1", "city": "Bonn", "n": 1],
                ],
                [
                    "operationType": "Patch", "id": "1",
                    "resourceBody": ["operations": [["op": "incr", "path": "/n", "value": 2]]],
                ],
                [
                    "operationType": "Replace", "id": "1",
                    "resourceBody": ["id": "1", "city": "Bonn", "n": 9],
                ], ["operationType": "Delete", "id": "1"],
            ])
        #expect(response.status == 200)
        #expect(Self.codes(response) == [201, 200, 200, 200, 200, 204])
        #expect(response.json[3]?["resourceBody"]?["n"] == 3)
        #expect(account.send("GET", ModelAccount.documents, key: "Bonn").ids == [])
    }

    @Test func `change nothing when one operation fails`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let before = account.send("GET", ModelAccount.documents, key: "Bonn").documents
        let response = Self.send(
            &account,
            [
                Self.create("2"),
                ["operationType": "Delete", "id": "1", "ifMatch": "\"old\""], Self.create("3"),
            ])
        #expect(response.status == 207)
        #expect(Self.codes(response) == [424, 412, 424])
        #expect(account.send("GET", ModelAccount.documents, key: "Bonn").documents == before)
    }

    @Test func `that are not atomic go on after a failure where they may`() {
        var account = ModelAccount.shop()
        account.store([["id": "1", "city": "Bonn"]])
        let response = Self.send(
            &account, [Self.create("1"), Self.create("2")],
            headers: [.isBatchAtomic: "False", .batchContinuesOnError: "True"])
        #expect(response.status == 207)
        #expect(Self.codes(response) == [409, 201])
    }

    @Test func `have a hundred operations at most`() {
        var account = ModelAccount.shop()
        let operations = (0...100).map { Self.create("\($0)") }
        #expect(Self.send(&account, operations).status == 400)
        #expect(Self.send(&account, Array(operations.dropLast())).status == 200)
        #expect(Self.send(&account, []).status == 400)
    }
}
