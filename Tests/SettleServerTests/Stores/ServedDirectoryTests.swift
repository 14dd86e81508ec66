import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleServer

/// One directory is the work of one server at a time.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A directory that is served` {
    private static func open(_ directory: URL) async throws -> any TableStore {
        try await ServerStore.directory(directory).open(ServerStore.Settings(tableCountMax: 9))
    }

    @Test func `is refused to another server, also through a link, until the first has ended`()
        async throws
    {
        try await withScratchDirectory("served") { scratch in
            let directory = try scratch.folder("tables")
            let link = scratch.file("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
            let dots = directory.appendingPathComponent("../tables")
            for (first, second) in [
                (directory, directory), (directory, link), (link, directory), (link, dots),
            ] {
                try await RunningServer.run(ServerConfiguration(directory: first)) { _ in
                    let error = await #expect(throws: ServerError.self) {
                        try await TableServer(
                            configuration: ServerConfiguration(directory: second),
                            logger: TestServer.quiet
                        ).run()
                    }
                    #expect(error?.code == .directoryInUse)
                    #expect(error?.message.contains("'\(second.path)'") == true)
                    #expect(error?.message.contains("this process") == true)
                }
            }
        }
    }

    @Test(arguments: ["https:", "file://db.example", "", "file:", "data:"], ["", "?x=1"])
    func `is one of this machine, or nothing is made of its name`(
        start: String, end: String
    ) async throws {
        try await withScratchDirectory("served") { scratch in
            let place = scratch.file("tables")
            // Their path alone would be a place.
            guard let url = URL(string: start + place.path + end), start + end != "file:" else {
                return
            }
            let error = await #expect(throws: ServerError.self) { try await Self.open(url) }
            #expect(error?.code == .directoryUnusable)
            #expect(!FileManager.default.fileExists(atPath: place.path))
            let refused = #expect(throws: ServerError.self) {
                try ServerConfiguration(directory: url).check()
            }
            #expect(refused?.code == .invalidConfiguration)
        }
    }

    @Test func `is free again when a start failed`() async throws {
        try await withScratchDirectory("served") { scratch in
            try await RunningServer.run(
                ServerConfiguration(directory: try scratch.folder("one"))
            ) { port in
                let directory = try scratch.folder("two")
                for _ in 0..<2 {
                    let error = await #expect(throws: ServerError.self) {
                        try await TableServer(
                            configuration: ServerConfiguration(directory: directory, port: port),
                            logger: TestServer.quiet
                        ).run()
                    }
                    #expect(error?.code == .addressUnusable)
                }
            }
        }
    }

    @Test func `names the process whose server it is`() async throws {
        try await withScratchDirectory("served") { scratch in
            let store = try await Self.open(scratch.url)
            // Another process would have written its own number.
            try Data("4711\n".utf8).write(to: scratch.file("server.lock"))
            let error = await #expect(throws: ServerError.self) {
                try await Self.open(scratch.url)
            }
            #expect(error?.message.contains("process 4711") == true)
            await store.close()
            try Data("not a number".utf8).write(to: scratch.file("server.lock"))
            let again = try await Self.open(scratch.url)
            await again.close()
        }
    }

    @Test func `can be copied from, and not copied into`() async throws {
        try await withScratchDirectory("served") { scratch in
            let (from, to) = (try scratch.folder("from"), try scratch.folder("to"))
            let served = try await Self.open(from)
            let table = try await served.table(TableName("t"), isCreated: true)
            #expect(table != nil)
            let copied = try await StoreCopy(from: .directory(from), to: .directory(to)).run()
            #expect(copied.tableCount == 1)
            let error = await #expect(throws: ServerError.self) {
                try await StoreCopy(from: .directory(to), to: .directory(from)).run()
            }
            #expect(error?.code == .directoryInUse)
            await served.close()
            let back = try await StoreCopy(from: .directory(to), to: .directory(from)).run()
            #expect(back.tableCount == 1)
        }
    }

    @Test func `tells of every table that the server before has made`() async throws {
        try await withScratchDirectory("served") { scratch in
            let first = try await Self.open(scratch.url)
            _ = try await first.table(TableName("made"), isCreated: true)
            await first.close()
            let second = try await Self.open(scratch.url)
            #expect(try await second.tableNames().map(\.text) == ["made"])
            await second.close()
        }
    }
}
