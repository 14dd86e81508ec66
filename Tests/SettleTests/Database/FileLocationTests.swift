import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `A location` {
    /// URLs that name no directory of this machine.
    private static let unusable = [
        "https://example.com/data", "http://localhost/tmp/x", "ftp://example.com/x", "data:,x",
        "/tmp/without-a-scheme", "relative", "file://", "file:relative/x", "file://server/share",
        "file:///tmp/a%2Fb", "file:///tmp/a%00b", "file:///tmp/a%FFb", "file:///tmp/x?y=1",
        "file:///tmp/x#y",
    ]

    private func configuration(_ url: URL) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(name: "shop", fileLocation: url)
    }

    /// The error that a call throws.
    private func error(_ body: () async throws -> Void) async -> DatabaseError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    @Test(arguments: unusable)
    func `that is not the URL of a directory is refused, and nothing is made`(
        text: String
    ) async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: ".")
        let url = try #require(URL(string: text))
        let configuration = configuration(url)
        for create in [true, false] {
            let error = await error {
                _ = try await Database.open(with: configuration, create: create)
            }
            #expect(error?.code == .invalidFileLocation)
            #expect(error?.message.contains("URL(fileURLWithPath:)") == true)
        }
        #expect(Database.openedWith(configuration) == nil)
        let errors = [
            await error { try await Database.delete(configuration) },
            await error { _ = try Database.allDatabaseNames(underLocation: url) },
        ]
        #expect(errors.map(\.?.code) == [.invalidFileLocation, .invalidFileLocation])
        // What Foundation takes for the path of such a URL.
        #expect(!FileManager.default.fileExists(atPath: url.path + "/shop.settle"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == before)
    }

    @Test func `is told without what may be secret in it`() async throws {
        let url = try #require(URL(string: "https://me:secret@example.com/x?token=secret"))
        let error = await error { _ = try await Database.open(with: configuration(url)) }
        #expect(error?.message.contains("https://example.com/x") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `of two databases is not equal where only one is a file's`() throws {
        let file = configuration(URL(fileURLWithPath: "/data"))
        let web = configuration(try #require(URL(string: "https://example.com/data")))
        #expect(file != web)
        #expect(web == configuration(try #require(URL(string: "https://example.com/data"))))
    }

    @Test func `may be written in any way that names a directory here`() async throws {
        let directory = try ScratchDirectory("a place")
        let encoded = directory.path.replacing(" ", with: "%20")
        let folder = directory.url.lastPathComponent
        let ways = [
            URL(fileURLWithPath: directory.path),
            try #require(URL(string: "file://\(encoded)")),
            try #require(URL(string: "FILE://localhost\(encoded)/")),
            try #require(URL(string: "file://\(encoded)/sub/../.")),
            URL(
                fileURLWithPath: folder,
                relativeTo: directory.url.deletingLastPathComponent()),
        ]
        let database = try #require(
            try await Database.open(with: configuration(ways[0]), create: true))
        for way in ways {
            #expect(try await Database.open(with: configuration(way)) === database, "\(way)")
        }
        await database.close()
        let literal = directory.url.appendingPathComponent("100%2F?#")
        let other = try #require(
            try await Database.open(with: configuration(literal), create: true))
        await other.close()
        #expect(
            FileManager.default.fileExists(atPath: directory.path + "/100%2F?#/shop.settle"))
    }

    @Test(arguments: ["https://example.com/tmp/x", "file://server/tmp/x", "relative"])
    func `of a file or folder is asked for by every call that takes one`(
        text: String
    ) async throws {
        let url = try #require(URL(string: text))
        let directory = try ScratchDirectory("location")
        try await withDatabase(in: directory) { database async throws in
            let stored = try await database.save([
                "id": "a", "attachment": true,
            ])
            let memory = DocumentAttachment(
                name: "n", contentType: "text/plain", data: Data([1]))
            let file = directory.file("export")
            try await database.exportDocuments(to: file)
            let errors: [(String, DatabaseError?)] = [
                ("backup", await error { try await database.backup(to: url) }),
                ("export", await error { try await database.exportDocuments(to: url) }),
                (
                    "contents of an export",
                    await error {
                        try await database.exportDocuments(to: file, attachments: .directory(url))
                    }
                ),
                (
                    "contents of pieces",
                    await error {
                        try await database.exportDocuments(attachments: .directory(url)) { _ in }
                    }
                ),
                ("import", await error { try await database.importDocuments(from: url) }),
                (
                    "contents of an import",
                    await error {
                        try await database.importDocuments(from: file, contents: url)
                    }
                ),
                (
                    "attachment",
                    await error {
                        _ = try await database.storeAttachment(
                            named: "n", contentType: "text/plain", contentsOf: url)
                    }
                ),
                (
                    "content",
                    await error {
                        try await database.provideContent(of: memory, contentsOf: url)
                    }
                ),
                ("writing", await error { try await memory.write(to: url) }),
            ]
            for (call, error) in errors {
                #expect(
                    error?.code == .invalidFileLocation, "\(call): \(String(describing: error))")
            }
            #expect(try await database.fetchDocument("a") == stored)
        }
    }
}
