import ArgumentParser
import Foundation
import Settle
import Testing

@testable import SettleCommand

@Suite(.serialized) struct `Arguments` {
    @Test(arguments: [
        ("/data/shop", "/data", "shop"), ("/data/shop/", "/data", "shop"),
        ("/data/shop.settle", "/data", "shop"), ("/data/shop.settle/", "/data", "shop"),
        ("/data/x/../shop", "/data", "shop"), ("/data/a:b.settle", "/data", "a/b"),
        ("/shop", "/", "shop"),
    ])
    func `name a database by its path`(text: String, location: String, name: String) throws {
        let path = try DatabasePath(parsing: text)
        #expect(path.location.path == location)
        #expect(path.name == name)
    }

    @Test(arguments: ["https://example.com/shop", "file:///data/shop", "mysql://host/shop"])
    func `that are addresses name no folder`(text: String) {
        #expect(throws: ValidationError.self) { try DatabasePath(parsing: text) }
        #expect(StoreArgument(argument: text) == nil)
    }

    @Test(arguments: ["", "/", ".", "..", "/data/.settle", "./", "../", "x/..", "/data/./"])
    func `that name no database are refused`(text: String) {
        #expect(throws: ValidationError.self) { try DatabasePath(parsing: text) }
    }

    @Test(arguments: [
        ("a", ["a"]), ("a.b", ["a", "b"]), ("a\\.b.c", ["a.b", "c"]), ("a\\\\.b", ["a\\", "b"]),
        ("é ü", ["é ü"]),
    ])
    func `name a member by its path`(text: String, names: [String]) throws {
        let path = try KeyPathArgument(parsing: text)
        #expect(path.names == names)
        #expect(path.text == text)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a\\"])
    func `that are no path to a member are refused`(text: String) {
        #expect(throws: ValidationError.self) { try KeyPathArgument(parsing: text) }
    }

    @Test(
        arguments: [
            ("1", .integer(1)), (" \"a\" ", .string("a")), ("null", .null), ("-0.5", .double(-0.5)),
            ("[1,{\"a\":null}]", .array([.integer(1), .object(["a": .null])])),
        ] as [(String, JSONValue)])
    func `hold JSON`(text: String, value: JSONValue) throws {
        #expect(try JSONArgument(parsing: text).value == value)
    }

    @Test(arguments: ["", "Paris", "1,2", "1], \"x\": [2", "{", "1 // x", "'a'", "[1,]"])
    func `that are not JSON are refused`(text: String) {
        #expect(throws: ValidationError.self) { try JSONArgument(parsing: text) }
    }
}
