import CosmosModel
import Testing

@Suite struct `Signatures of requests` {
    /// A request that the documents of the service, or its client libraries, sign.
    struct Vector: Sendable {
        var key = AccountConfiguration.emulatorKey
        var date = "Fri, 17 Dec 1926 03:15:00 GMT"
        var method: String
        var kind: String
        var link: String
        var signature: String
    }

    static let vectors = [
        Vector(
            method: "GET", kind: "colls", link: "dbs/Test Database/colls/Test Collection",
            signature: "cugjaA51bjCvxVi8LXg3XB+ZVKaFAZshILoJZF9nfEY="),
        Vector(
            method: "POST", kind: "colls", link: "dbs/Test Database",
            signature: "E92FgDG9JiNX+NfsI+edOFtgkZRDkrrJxIfl12Vsu8A="),
        Vector(
            method: "DELETE", kind: "dbs", link: "dbs/Test Database",
            signature: "LcuXXg0TcXxZG0kUCj9tZIWRy2yCzim3oiqGiHpRqGs="),
        Vector(
            method: "GET", kind: "pkranges", link: "m4d+xg08uvm=",
            signature: "6S5ceZsl2EXWB3Jo5bJcK7zv8NxXnsxWPWD9TH3nNMo="),
        Vector(
            key: "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y"
                + "+O/0H/t4bQtVNw==",
            date: "Thu, 27 Apr 2017 00:51:12 GMT", method: "GET", kind: "dbs",
            link: "dbs/ToDoList", signature: "c09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu+c+c="),
    ]

    @Test(arguments: vectors) func `are those of the published examples`(vector: Vector) {
        let payload = RequestSignature.payload(
            method: vector.method, kind: vector.kind, link: vector.link, date: vector.date)
        #expect(RequestSignature.signature(of: payload, key: vector.key) == vector.signature)
    }
}
