import SettlePQ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Values` {
    private static let texts = [
        "", "a", "'; DROP TABLE t; --", "$1", "\\x00", "{1,NULL,\"b\"}", "NULL", "ä 漢 👩‍👩‍👧",
        "e\u{301}", "\u{e9}", "\n\t\u{1}\u{7f}", String(repeating: "ü", count: 5_000),
    ]
    private static let integers: [Int64] = [
        0, 1, -1, .max, .min, .max - 1, 0x0102_0304_0506_0708, -0x0102_0304_0506_0708,
    ]
    private static let byteStrings: [[UInt8]] = [
        [], [0], [0, 0, 1], Array(0...255), Array("\\x41".utf8),
        [UInt8](repeating: 7, count: 9_999),
    ]

    @Test func `come back as they went`() async throws {
        try await TestServer().withPool { pool in
            try await pool.perform { connection in
                for text in Self.texts {
                    let row = try #require(try connection.run("SELECT $1", .text(text)).first)
                    let found = try row.text(0)
                    #expect(Array(found.utf8) == Array(text.utf8))
                }
                for integer in Self.integers {
                    let row = try #require(try connection.run("SELECT $1", .integer(integer)).first)
                    let found = try row.integer(0)
                    #expect(found == integer)
                }
                for bytes in Self.byteStrings {
                    let row = try #require(try connection.run("SELECT $1", .bytes(bytes)).first)
                    let found = try row.bytes(0)
                    #expect(found == bytes)
                }
                for value in [true, false] {
                    let row = try #require(try connection.run("SELECT $1", .bool(value)).first)
                    let found = try row.bool(0)
                    #expect(found == value)
                }
            }
        }
    }

    @Test func `come back as they went, many at once`() async throws {
        try await TestServer().withPool { pool in
            try await pool.perform { connection in
                let texts: [String?] = Self.texts + [nil]
                let integers: [Int64?] = [nil] + Self.integers
                let byteStrings: [[UInt8]?] = Self.byteStrings + [nil, nil]
                let bools: [Bool?] = [true, nil, false]
                let result = try connection.run(
                    "SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bool[])",
                    .texts(texts), .integers(integers), .byteStrings(byteStrings), .bools(bools))
                #expect(result.count == texts.count)
                for index in 0..<result.count {
                    let row = result[index]
                    let text = try row.textIfAny(0)
                    #expect(text.map { Array($0.utf8) } == texts[index].map { Array($0.utf8) })
                    let integer = try row.integerIfAny(1)
                    #expect(integer == (index < integers.count ? integers[index] : nil))
                    let bytes = try row.bytesIfAny(2)
                    #expect(bytes == (index < byteStrings.count ? byteStrings[index] : nil))
                    let isNull = row.isNull(3)
                    #expect(isNull == (index >= bools.count || bools[index] == nil))
                    if !isNull {
                        let bool = try row.bool(3)
                        #expect(bool == bools[index])
                    }
                }
            }
        }
    }

    @Test func `of empty lists are no rows`() async throws {
        try await TestServer().withPool { pool in
            let counts = try await pool.perform { connection in
                [
                    try connection.run("SELECT unnest($1)", .texts([])).count,
                    try connection.run("SELECT unnest($1)", .integers([])).count,
                    try connection.run("SELECT unnest($1)", .bools([])).count,
                    try connection.run("SELECT unnest($1)", .byteStrings([])).count,
                ]
            }
            #expect(counts == [0, 0, 0, 0])
        }
    }

    @Test func `may be nothing`() async throws {
        try await TestServer().withPool { pool in
            try await pool.perform { connection in
                let row = try #require(
                    try connection.run(
                        "SELECT $1::text, $2::bigint, $3::bytea, $4::bool", .null, .null, .null,
                        .null
                    ).first)
                let text = try row.textIfAny(0)
                let integer = try row.integerIfAny(1)
                let bytes = try row.bytesIfAny(2)
                #expect(text == nil && integer == nil && bytes == nil)
                for column in 0..<4 { #expect(row.isNull(column)) }
                #expect(throws: PQError.self) { try row.text(0) }
                #expect(throws: PQError.self) { try row.integer(1) }
                #expect(throws: PQError.self) { try row.bytes(2) }
                #expect(throws: PQError.self) { try row.bool(3) }
            }
        }
    }

    @Test func `of smaller numbers keep their sign`() async throws {
        try await TestServer().withPool { pool in
            let found = try await pool.perform { connection in
                let result = try connection.run("SELECT -2::smallint, -70000::integer, 70000")
                let row = result[0]
                return [try row.integer(0), try row.integer(1), try row.integer(2)]
            }
            #expect(found == [-2, -70_000, 70_000])
        }
    }

    @Test func `of another type than was asked for are refused`() async throws {
        try await TestServer().withPool { pool in
            try await pool.perform { connection in
                let row = try connection.run("SELECT 'a'::text, 1::bigint")[0]
                #expect(throws: PQError.self) { try row.integer(0) }
                #expect(throws: PQError.self) { try row.bytes(0) }
                #expect(throws: PQError.self) { try row.bool(1) }
                #expect(throws: PQError.self) { try row.text(1) }
            }
        }
    }

    @Test func `at random come back as they went`() async throws {
        let seed: UInt64 = 0x5E77_1E01
        try await TestServer().withPool { pool in
            try await pool.perform { connection in
                var generator = SeededGenerator(seed: seed)
                for round in 0..<200 {
                    let count = Int.random(in: 0...20, using: &generator)
                    let byteStrings: [[UInt8]?] = (0..<count).map { _ in
                        if Int.random(in: 0..<6, using: &generator) == 0 { return nil }
                        return (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                            UInt8.random(in: 0...255, using: &generator)
                        }
                    }
                    let integers: [Int64?] = (0..<count).map { _ in
                        Int.random(in: 0..<6, using: &generator) == 0
                            ? nil : Int64.random(in: .min ... .max, using: &generator)
                    }
                    let result = try connection.run(
                        "SELECT * FROM unnest($1::bytea[], $2::bigint[])",
                        .byteStrings(byteStrings), .integers(integers))
                    let foundBytes = try (0..<result.count).map { try result[$0].bytesIfAny(0) }
                    let foundIntegers = try (0..<result.count).map {
                        try result[$0].integerIfAny(1)
                    }
                    #expect(foundBytes == byteStrings, "round \(round), \(generator)")
                    #expect(foundIntegers == integers, "round \(round), \(generator)")
                }
            }
        }
    }
}
