import Foundation
import SettleSync
import Testing

@testable import SettleREST

@Suite(.serialized) struct `Table address` {
    private func address(_ text: String) throws -> TableAddress {
        try TableAddress(try #require(URL(string: text)))
    }

    @Test(arguments: [
        ("http://localhost:8080/tables/notes", "http://localhost:8080/tables/notes"),
        ("HTTPS://Example.ORG:443/tables/Notes/", "https://example.org/tables/Notes"),
        ("http://example.org:80/app/v1/tables/a%20b", "http://example.org/app/v1/tables/a%20b"),
        ("http://[::1]:9000/tables/n", "http://[::1]:9000/tables/n"),
    ])
    func `is the same text for the same table`(url: String, identifier: String) throws {
        #expect(try address(url).identifier == identifier)
    }

    @Test(arguments: [
        "ftp://example.org/tables/notes", "http:///tables/notes", "http://example.org/",
        "http://example.org/notes", "http://example.org/tables/", "http://example.org/tables",
        "http://example.org/tables/a/b", "http://example.org/tables/a?x=1",
        "http://example.org/tables/a#x", "http://user:secret@example.org/tables/a", "notes",
        "http://example.org:99999/tables/a", "http://example.org:0/tables/a",
    ])
    func `is refused with a sentence that says what to write`(url: String) throws {
        do {
            _ = try address(url)
            Issue.record("\(url) was taken.")
        } catch let error as ReplicationError {
            #expect(error.code == .misconfigured)
            #expect(error.message.contains("http(s)://HOST[:PORT]/tables/NAME"))
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func `encodes identifiers as one segment of the path`() throws {
        let address = try address("http://h/tables/t")
        #expect(address.path(ofItem: "a") == "/tables/t/a")
        let odd = address.path(ofItem: "b/c d?#%\u{E9}+\"'")
        #expect(odd == "/tables/t/b%2Fc%20d%3F%23%25%C3%A9%2B%22%27")
    }
}
