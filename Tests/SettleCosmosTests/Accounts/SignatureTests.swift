import Foundation
import Testing

@testable import SettleCosmos

@Suite struct `Signatures of requests` {
    struct Vector: Sendable, CustomTestStringConvertible {
        var key: String
        var date: String
        var method: String
        var type: String
        var link: String
        var signature: String
        var testDescription: String { "\(method) \(type) \(link)" }
    }

    static let documentationKey =
        "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw=="
    static let vectors = [
        Vector(
            key: emulatorKey, date: "Fri, 17 Dec 1926 03:15:00 GMT", method: "GET", type: "colls",
            link: "dbs/Test Database/colls/Test Collection",
            signature: "cugjaA51bjCvxVi8LXg3XB+ZVKaFAZshILoJZF9nfEY="),
        Vector(
            key: emulatorKey, date: "Fri, 17 Dec 1926 03:15:00 GMT", method: "POST", type: "colls",
            link: "dbs/Test Database", signature: "E92FgDG9JiNX+NfsI+edOFtgkZRDkrrJxIfl12Vsu8A="),
        Vector(
            key: emulatorKey, date: "Fri, 17 Dec 1926 03:15:00 GMT", method: "DELETE", type: "dbs",
            link: "dbs/Test Database", signature: "LcuXXg0TcXxZG0kUCj9tZIWRy2yCzim3oiqGiHpRqGs="),
        Vector(
            key: emulatorKey, date: "Fri, 17 Dec 1926 03:15:00 GMT", method: "GET",
            type: "pkranges", link: "m4d+xG08uVM=",
            signature: "6S5ceZsl2EXWB3Jo5bJcK7zv8NxXnsxWPWD9TH3nNMo="),
        Vector(
            key: documentationKey, date: "Thu, 27 Apr 2017 00:51:12 GMT", method: "GET",
            type: "dbs", link: "dbs/ToDoList",
            signature: "c09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu+c+c="),
    ]

    @Test(arguments: vectors) func `are those of the service's documents`(vector: Vector) throws {
        // The resource identifier of a list of ranges is signed in lower case.
        let rid = Cosmos.ResourceIdentifier(vector.link)?.selfLink
        let link = rid ?? Cosmos.Link(vector.link, isByResourceIds: false)
        let request = Cosmos.SignedRequest(
            method: vector.method, resourceType: vector.type,
            resourceLink: try #require(link).signedText, date: vector.date, type: .collection,
            mode: .read)
        #expect(try Cosmos.MasterKey(vector.key).signature(of: request) == vector.signature)
    }

    @Test func `stand in a header that is encoded as a whole`() throws {
        let authorizer = Cosmos.MasterKeyAuthorizer(
            key: try Cosmos.MasterKey(Self.documentationKey), mode: .all)
        let request = Cosmos.SignedRequest(
            method: "GET", resourceType: "dbs", resourceLink: "dbs/ToDoList",
            date: "Thu, 27 Apr 2017 00:51:12 GMT", type: .database, mode: .read)
        #expect(
            try authorizer.authorization(for: request)
                == "type%3Dmaster%26ver%3D1.0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D"
        )
    }

    @Test func `are made by HMAC with keys of any length`() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        // RFC 4231, cases 2 and 6.
        #expect(
            hex(
                MessageAuthentication.code(
                    of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(
                MessageAuthentication.code(
                    of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                    key: Array(repeating: 0xAA, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `and keys are not shown`() throws {
        let key = try Cosmos.MasterKey(emulatorKey)
        let credentials = Cosmos.Credentials.masterKey(key)
        let permission = Cosmos.Permission(
            id: "p", mode: .read, resource: "dbs/a/colls/b", token: "type=resource&secret")
        for text in ["\(key)", "\(credentials)", String(reflecting: key), "\(permission)"] {
            #expect(!text.contains("C2y6") && !text.contains("secret"))
        }
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(permission, to: &dumped)
        #expect(!dumped.contains("C2y6") && !dumped.contains("secret"))
    }

    @Test(arguments: ["", "no base64!", "===="]) func `refuse keys that are none`(key: String) {
        #expect {
            try Cosmos.MasterKey(key)
        } throws: { ($0 as? Cosmos.ClientError)?.kind == .configureError }
    }
}
