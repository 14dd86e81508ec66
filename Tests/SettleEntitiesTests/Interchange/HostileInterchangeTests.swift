import Foundation
import Settle
import SettleEntities
import TestSupport
import Testing

/// Interchanges that are broken, or say what no store can hold.
@Suite struct `A hostile interchange` {
    private static let small = """
        {"note": "é", "entities": [
        {"identifier": "a", "type": "p", "k": {"entries": ["x", {"string": "y", "datestamp": "2026-01-01T00:00:00Z"}]}},
        {"identifier": "b", "type": "p", "tags": [1, {"entity": "a"}, {"dictionary": {"d": 1.5e3}}], "t": true}
        ], "more": {"entities": []}}
        """

    private static func entity(_ members: String) -> String {
        "{\"entities\":[{\"identifier\":\"a\",\"type\":\"p\"},{\"identifier\":\"e\",\"type\":\"p\",\(members)}]}"
    }

    @Test func `that ends at any byte is refused, and nothing of it is stored`() async throws {
        try await Store.with { store in
            let bytes = Array(Self.small.utf8)
            for length in 0..<bytes.count {
                let error = try await #require(
                    throws: DatastoreError.self, "the first \(length) bytes"
                ) {
                    try await store.datastore.decode(json: Data(bytes.prefix(length)))
                }
                #expect(error.code == .invalidInterchange, "the first \(length) bytes")
            }
            #expect(try store.database.lastSequence == 0)
            #expect(try await store.datastore.decode(json: Data(bytes)).entityCount == 2)
        }
    }

    @Test func `with any byte changed is read whole or refused whole`() async throws {
        try await Store.with { store in
            let bytes = Array(Self.small.utf8)
            for place in bytes.indices {
                for byte in [0, 0x22, 0x5C, 0x7D, 0x80, 0xFF] as [UInt8] where bytes[place] != byte
                {
                    var changed = bytes
                    changed[place] = byte
                    let before = try store.database.lastSequence
                    do {
                        try await store.datastore.decode(json: Data(changed))
                    } catch let error as DatastoreError {
                        #expect(error.code == .invalidInterchange, "byte \(place) is \(byte)")
                        #expect(try store.database.lastSequence == before)
                    }
                }
            }
            // Whatever was taken for an interchange can be written and read again.
            let text = try await store.datastore.encodeJSON()
            let summary = try await store.datastore.decode(json: text)
            #expect(summary.skipped.isEmpty)
            #expect(try await store.datastore.encodeJSON() == text)
        }
    }

    @Test(arguments: [
        "\"k\":1e999", "\"k\":{\"double\":-1e400}", "\"k\":[[1e999]]",
        "\"k\":{\"integer\":9223372036854775808}", "\"k\":{\"integer\":1e300}",
        "\"k\":{\"integer\":\"1\"}", "\"k\":{\"boolean\":1}", "\"k\":{\"string\":1}",
        "\"k\":{\"date\":\"10000-01-01T00:00:00Z\"}",
        "\"k\":{\"date\":\"9999-12-31T23:59:59-01:00\"}",
        "\"k\":{\"date\":\"2026-02-30T00:00:00Z\"}", "\"k\":{\"date\":1767225600}",
        "\"k\":{\"entity\":7}", "\"k\":{\"entity\":{\"identifier\":\"a\"}}",
        "\"k\":{\"data\":[1]}", "\"k\":{\"list\":{}}", "\"k\":{\"dictionary\":[]}", "\"k\":{}",
        "\"k\":{\"string\":\"x\",\"datestamp\":\"0000-01-01T00:00:00+01:00\"}",
        "\"k\":{\"string\":\"x\",\"datestamp\":\"2026-01-01T00:00:00Z\",\"counter\":-1}",
        "\"k\":{\"string\":\"x\",\"datestamp\":\"2026-01-01T00:00:00Z\",\"counter\":9223372036854775807}",
        "\"k\":{\"string\":\"x\",\"datestamp\":\"2026-01-01T00:00:00Z\",\"counter\":1.5}",
        "\"k\":{\"string\":\"x\",\"datestamp\":\"2026-01-01T00:00:00Z\",\"device\":7}",
        "\"k\":{\"entries\":[1],\"string\":\"x\"}", "\"k\":{\"entries\":[{\"entries\":[1]}]}",
        "\"k\":[{\"string\":\"x\",\"type\":\"t\"}]", "\"k\":[null]", "\"k\":{\"string\":null}",
        "\"datestamp\":{\"date\":\"2026-01-01T00:00:00Z\",\"counter\":9007199254740992}",
        "\"datestamp\":{\"data\":\"\"}", "\"datestamp\":[]",
        "\"\(String(repeating: "k", count: 1_025))\":1",
        "\"k\":\(String(repeating: "[", count: 101))1\(String(repeating: "]", count: 101))",
        "\"k\":\(String(repeating: "[", count: 600))1\(String(repeating: "]", count: 600))",
    ]) func `with a value that no store can hold says whose, and stores nothing`(members: String)
        async throws
    {
        try await Store.with { store in
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data(Self.entity(members).utf8))
            }
            #expect(error.code == .invalidInterchange)
            #expect(error.message.contains("'e'") || error.message.contains("number 2"))
            #expect(!error.message.contains("1767225600"), "An error holds no value.")
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test func `with numbers and dates at the ends of what there is comes back as it was`()
        async throws
    {
        let members = """
            "small": -9223372036854775808, "large": 9223372036854775807, "tiny": 5e-324, "huge": 1.7976931348623157e308,
            "first": {"date": "0000-01-01T00:00:00Z"}, "last": {"date": "9999-12-31T23:59:59.999999Z"},
            "counted": {"string": "x", "datestamp": "9999-12-31T23:59:59.999999Z", "counter": 9007199254740991},
            "deep": \(String(repeating: "[", count: 100))1\(String(repeating: "]", count: 100)),
            "\(String(repeating: "k", count: 1_024))": 1
            """
        try await Store.with { store in
            try await store.datastore.decode(json: Data(Self.entity(members).utf8))
            let text = try await store.datastore.encodeJSON()
            try await Store.with { other in
                try await other.datastore.decode(json: text)
                #expect(try await other.datastore.encodeJSON() == text)
                let read = try await other.read("e")
                #expect(read["small"] == .integer(.min))
                #expect(read["large"] == .integer(.max))
                #expect(read["tiny"] == .double(.leastNonzeroMagnitude))
                #expect(read["huge"] == .double(.greatestFiniteMagnitude))
                // Nothing can be later; that is no reason to fail.
                try await other.update("e", ["counted": "y", "small": 1])
                #expect(try await other.values(of: "counted", in: "e").count == 2)
            }
        }
    }

    @Test func `that has an entity twice merges what both say, in either order`() async throws {
        let parts = [
            "{\"identifier\":\"e\",\"type\":\"p\",\"datestamp\":{\"date\":\"2026-01-02T00:00:00Z\"},\"k\":1,\"l\":1}",
            "{\"identifier\":\"e\",\"type\":\"q\",\"datestamp\":{\"date\":\"2026-01-01T00:00:00Z\"},\"k\":2,\"m\":2}",
            "{\"identifier\":\"e\",\"type\":\"p\",\"datestamp\":{\"date\":\"2026-01-02T00:00:00Z\"},\"k\":1,\"k\":3}",
        ]
        var texts: Set<Data> = []
        for order in [[0, 1], [1, 0], [0, 1, 0]] {
            try await Store.with { store in
                let list = order.map { parts[$0] }.joined(separator: ",")
                let summary = try await store.datastore.decode(
                    json: Data("{\"entities\":[\(list)]}".utf8))
                #expect(summary.entityCount == order.count)
                let read = try await store.read("e")
                #expect(read.type == "p")
                #expect(read["k"] == 1)
                #expect(read.keys == ["k", "l", "m"])
                #expect(try await store.values(of: "k", in: "e") == [2, 1])
                texts.insert(try await store.datastore.encodeJSON())
            }
        }
        #expect(texts.count == 1)
        // A name that stands twice in one object is no JSON that everybody reads alike.
        try await Store.with { store in
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data("{\"entities\":[\(parts[2])]}".utf8))
            }
            #expect(error.code == .invalidInterchange)
        }
    }

    // Foundation traps where it describes a date that is no number, so these are no arguments, which are described.
    private static let unsayable: [InterchangeValue] = [
        .double(.nan), .double(.infinity), .list([.double(-.infinity)]),
        .date(Date(timeIntervalSince1970: .infinity)),
        .date(.distantFuture.addingTimeInterval(1e12)),
        .dictionary(["double": .double(.nan)]), .dictionary(["entity": .integer(1)]),
        .dictionary([
            "list": .list([.dictionary(["date": .date(Date(timeIntervalSince1970: .nan))])])
        ]),
    ]

    @Test func `that is a dictionary may hold what JSON cannot say, and is refused for it`()
        async throws
    {
        try await Store.with { store in
            for place in Self.unsayable.indices {
                let error = try await #require(throws: DatastoreError.self, "value \(place)") {
                    try await store.datastore.decode(interchange: [
                        "entities": .list([
                            .dictionary([
                                "identifier": .string("e"), "type": .string("p"),
                                "k": Self.unsayable[place],
                            ])
                        ])
                    ])
                }
                #expect(error.code == .invalidInterchange, "value \(place)")
                #expect(error.entity == "e")
                #expect(error.key == "k")
            }
            #expect(try store.database.totalDocumentCount == 0)
        }
    }

    @Test func `with an identifier that no document can have is refused before anything is stored`()
        async throws
    {
        try await Store.with { store in
            let good = (0..<600).map { #"{"identifier":"e\#($0)","type":"p"}"# }
            let bad = #"{"identifier":"a\u0000b","type":"p"}"#
            let text = "{\"entities\":[\((good + [bad]).joined(separator: ","))]}"
            let error = try await #require(throws: DatastoreError.self) {
                try await store.datastore.decode(json: Data(text.utf8))
            }
            #expect(error.code == .invalidInterchange)
            #expect(try store.database.totalDocumentCount == 0)
            let made = await #expect(throws: DatastoreError.self) {
                try await store.datastore.get(
                    entity: Entity.identifiedBy("a\u{0}b", createAs: "p"))
            }
            #expect(made?.code == .invalidIdentifier)
        }
    }
}
