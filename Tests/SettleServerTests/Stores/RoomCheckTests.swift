import Foundation
import HTTPTypes
import Settle
import Synchronization
import TestSupport
import Testing

@testable import SettleServer

#if os(Linux)
    /// `/dev/full` takes no byte, as a disk that is full.
    @Suite(.serialized) struct `A disk that is full` {
        private static func fill(_ scratch: ScratchDirectory) throws {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.file("room.check").path, withDestinationPath: "/dev/full")
        }

        @Test func `makes a server that is not ready`() async throws {
            try await withScratchDirectory("full") { scratch in
                try await TestServer.run(
                    stores: [.directory], configure: { $0.store = .directory(scratch.url) }
                ) { server in
                    try Self.fill(scratch)
                    let reply = try await server.raw(.get, "/readyz")
                    #expect(reply.status == 503)
                    #expect(reply.error?.contains("takes no writes") == true)
                    #expect(try await server.raw(.get, "/healthz").status == 200)
                }
            }
        }

        @Test func `is looked at once a second, and leaves nothing behind`() throws {
            try withScratchDirectory("full") { scratch in
                let uptime = Mutex(Duration.zero)
                var check = RoomCheck(scratch.url, elapsed: { uptime.withLock { $0 } })
                try check.run()
                try Self.fill(scratch)
                // The answer before still counts.
                try check.run()
                uptime.withLock { $0 = .seconds(1) }
                for _ in 0..<2 {
                    #expect(throws: ServerError.self) { try check.run() }
                }
                uptime.withLock { $0 = .seconds(2) }
                try check.run()
                let names = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
                #expect(names.isEmpty)
            }
        }

        @Test func `or a directory that is gone, makes no room`() throws {
            let url = try withScratchDirectory("gone") { try $0.folder("gone") }
            var check = RoomCheck(url)
            let error = #expect(throws: ServerError.self) { try check.run() }
            #expect(error?.code == .directoryUnusable)
        }
    }
#endif
