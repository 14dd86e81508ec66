import Foundation
import Settle
import TestSupport
import Testing

@Suite(.serialized) struct `Opening a database` {
    private func configuration(
        _ name: String?, in directory: ScratchDirectory
    ) -> Database.OpenDatabaseConfiguration {
        Database.OpenDatabaseConfiguration(name: name, fileLocation: directory.url)
    }

    @Test func `that is not there gives nil unless it is to be created`() async throws {
        let directory = try ScratchDirectory("open")
        let wanted = configuration("shop", in: directory)
        #expect(try await Database.open(with: wanted) == nil)
        #expect(Database.openedWith(wanted) == nil)
        let made = try await Database.open(with: wanted, create: true)
        #expect(made != nil)
        #expect(Database.openedWith(wanted) === made)
        await made?.close()
        #expect(Database.openedWith(wanted) == nil)
        let again = try await Database.open(with: wanted)
        #expect(again != nil && again !== made)
        try await again?.delete()
        #expect(try await Database.open(with: wanted) == nil)
    }

    @Test func `with equal configurations gives the same object, also through a link`() async throws
    {
        let directory = try ScratchDirectory("open")
        let link = directory.url.appendingPathComponent("link")
        let real = try directory.folder("real")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let first = Database.OpenDatabaseConfiguration(name: "a", fileLocation: real)
        let second = Database.OpenDatabaseConfiguration(name: "a", fileLocation: link)
        #expect(first == second && first.hashValue == second.hashValue)
        #expect(first != Database.OpenDatabaseConfiguration(name: "b", fileLocation: real))
        let one = try await Database.open(with: first, create: true)
        let two = try await Database.open(with: second, create: true)
        #expect(one != nil && one === two)
        await one?.close()
    }

    @Test func `in a place that does not exist yet, behind a link, is the same in both spellings`()
        async throws
    {
        let directory = try ScratchDirectory("open")
        let link = directory.url.appendingPathComponent("link")
        let real = try directory.folder("real")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let first = Database.OpenDatabaseConfiguration(
            name: "a", fileLocation: link.appendingPathComponent("new"))
        let second = Database.OpenDatabaseConfiguration(
            name: "a", fileLocation: real.appendingPathComponent("new"))
        #expect(first == second)
        let one = try await Database.open(with: first, create: true)
        let two = try await Database.open(with: second, create: true)
        #expect(one != nil && one === two)
        try FileManager.default.removeItem(at: link)
        #expect(Database.openedWith(first) === one)
        await one?.close()
        #expect(Database.openedWith(second) == nil)
    }

    @Test func `with an index that cannot be used opens nothing`() async throws {
        let directory = try ScratchDirectory("open")
        for names in [["ok", "a\u{0}b"], ["twice", "twice"], [""]] {
            let wanted = Database.OpenDatabaseConfiguration(
                name: "a", fileLocation: directory.url,
                indexes: names.map { Database.Index.keyPaths(name: $0, keys: [["a"]]) })
            let error = await #expect(throws: DatabaseError.self) {
                try await Database.open(with: wanted, create: true)
            }
            #expect(error?.code == .invalidIndex)
            #expect(Database.openedWith(wanted) == nil)
        }
    }

    @Test func `and closing it while others write ends every write one way or the other`()
        async throws
    {
        let directory = try ScratchDirectory("open")
        let wanted = configuration("shop", in: directory)
        for round in 0..<60 {
            let database = try #require(try await Database.open(with: wanted, create: true))
            let stored = await withTaskGroup(of: Int.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        var count = 0
                        while true {
                            do {
                                try await database.save(["id": "\(round)-\(writer)-\(count)"])
                                count += 1
                            } catch {
                                return (error as? DatabaseError)?.code == .databaseClosed
                                    ? count : -1
                            }
                        }
                    }
                }
                group.addTask {
                    await database.close()
                    return 0
                }
                return await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(!stored.contains(-1))
            let again = try #require(try await Database.open(with: wanted))
            let found = try again.read { snapshot in
                var count = 0
                try snapshot.forEachDocument { document in
                    if document.id.hasPrefix("\(round)-") { count += 1 }
                    return true
                }
                return count
            }
            #expect(found == stored.reduce(0, +), "round \(round)")
            await again.close()
        }
    }

    @Test func `from inside a closure of a database that is being closed does not deadlock`()
        async throws
    {
        let directory = try ScratchDirectory("open")
        let wanted = configuration("shop", in: directory)
        let database = try #require(try await Database.open(with: wanted, create: true))
        let isWriting = AsyncStream<Void>.makeStream()
        let isClosing = DispatchSemaphore(value: 0)
        async let write: Void = database.write { _ in
            isWriting.continuation.yield()
            isClosing.wait()
            _ = Database.openedWith(wanted)
        }
        var started = isWriting.stream.makeAsyncIterator()
        await started.next()
        async let close: Void = database.close()
        // The entry of the registry is gone, or marked, as soon as the closing has begun.
        while Database.openedWith(wanted) != nil { await Task.yield() }
        isClosing.signal()
        await close
        _ = try? await write
        #expect(try await Database.open(with: wanted) != nil)
        await Database.openedWith(wanted)?.close()
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(10)))
        func `that waits for another process delays no question what is open`() async throws {
            let directory = try ScratchDirectory("open")
            let wanted = configuration("shop", in: directory)
            let other = configuration("other", in: directory)
            let open = try #require(try await Database.open(with: other, create: true))
            try await Database.open(with: wanted, create: true)?.close()
            // As one that exchanges the file.
            let data = directory.file("shop.settle/data.mdb")
            let lock = try FileHandle(forUpdating: data)
            #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
            async let opening = Database.open(with: wanted)
            while Self.openCount(of: data) < 2 { await Task.yield() }
            #expect(Database.openedWith(other) === open)
            #expect(Database.openedWith(wanted) == nil)
            #expect(flock(lock.fileDescriptor, LOCK_UN) == 0)
            let opened = try await opening
            #expect(Database.openedWith(wanted) === opened)
            await opened?.close()
            await open.close()
        }

        /// How often this process has a file open.
        private static func openCount(of file: URL) -> Int {
            let folder = "/proc/self/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.count { name in
                let path = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/\(name)")
                return path == file.resolvingSymlinksInPath().path
            }
        }
    #endif

    @Test func `by many tasks at once gives one object`() async throws {
        let directory = try ScratchDirectory("open")
        let wanted = configuration("shop", in: directory)
        let objects = try await withThrowingTaskGroup(of: Database?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await Database.open(with: wanted, create: true) }
            }
            return try await group.reduce(into: Set<ObjectIdentifier?>()) {
                $0.insert($1.map { ObjectIdentifier($0) })
            }
        }
        #expect(objects.count == 1 && !objects.contains(nil))
        await Database.openedWith(wanted)?.close()
    }

    @Test(arguments: [
        "", "Shop", "1shop", "shöp", "a b", "../a", "a.b", String(repeating: "a", count: 201),
    ])
    func `under a name that breaks the rules is refused`(name: String) async throws {
        let directory = try ScratchDirectory("open")
        for create in [true, false] {
            do {
                _ = try await Database.open(
                    with: configuration(name, in: directory), create: create)
                Issue.record("'\(name)' was opened.")
            } catch let error as DatabaseError {
                #expect(error.code == .invalidDatabaseName)
            }
        }
        await #expect(throws: DatabaseError.self) {
            try await Database.delete(configuration(name, in: directory))
        }
    }

    @Test func `in a place that is a file is refused`() async throws {
        let directory = try ScratchDirectory("open")
        let file = try directory.write("x", to: "file")
        for create in [true, false] {
            do {
                _ = try await Database.open(
                    with: Database.OpenDatabaseConfiguration(name: "a", fileLocation: file),
                    create: create)
                Issue.record("A database was opened in a file.")
            } catch let error as DatabaseError {
                #expect(error.code == .invalidFileLocation)
            }
        }
    }

    @Test func `that is garbage is refused and left alone`() async throws {
        let directory = try ScratchDirectory("open")
        let folder = try directory.folder("shop.settle")
        let file = folder.appendingPathComponent("data.mdb")
        let garbage = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try garbage.write(to: file)
        for create in [true, false] {
            do {
                _ = try await Database.open(
                    with: configuration("shop", in: directory), create: create)
                Issue.record("Garbage was opened.")
            } catch let error as DatabaseError {
                #expect([.corrupted, .notASettleDatabase].contains(error.code), "\(error)")
            }
        }
        #expect(try Data(contentsOf: file) == garbage)
    }

    @Test func `lists the names in a location`() async throws {
        let directory = try ScratchDirectory("open")
        #expect(
            try Database.allDatabaseNames(
                underLocation: directory.url.appendingPathComponent("nowhere")) == [])
        for name in ["b", "a/deep-1", "c$"] {
            let database = try await Database.open(
                with: configuration(name, in: directory), create: true)
            await database?.close()
        }
        _ = try directory.folder("not-a-database")
        #expect(
            try Database.allDatabaseNames(underLocation: directory.url) == ["a/deep-1", "b", "c$"])
        try await Database.delete(configuration("b", in: directory))
        try await Database.delete(configuration("b", in: directory))
        #expect(try Database.allDatabaseNames(underLocation: directory.url) == ["a/deep-1", "c$"])
    }

    @Test func `after it was closed every call says so`() async throws {
        let directory = try ScratchDirectory("open")
        let database = try #require(
            try await Database.open(with: configuration("a", in: directory), create: true))
        try await database.addIndex(Database.Index.keyPaths(name: "i", keys: [["a"]]))
        await database.close()
        await database.close()
        func code(_ body: () async throws -> Void) async -> DatabaseError.Code? {
            do {
                try await body()
                return nil
            } catch { return (error as? DatabaseError)?.code }
        }
        #expect(await code { try await database.add(["a": 1]) } == .databaseClosed)
        #expect(await code { _ = try await database.fetchDocument("a") } == .databaseClosed)
        #expect(await code { _ = try await database.runQuery(on: "i") } == .databaseClosed)
        #expect(await code { _ = try database.totalDocumentCount } == .databaseClosed)
        var commits = database.commits.makeAsyncIterator()
        #expect(await commits.next() == nil)
    }

    @Test func `a subclass has defaults of its own`() async throws {
        final class Mine: Database.OpenDatabaseConfiguration, @unchecked Sendable {
            override class func defaultDatabaseName() -> String { "mine" }
            override class func defaultLocation() -> URL {
                FileManager.default.temporaryDirectory
            }
        }
        #expect(Database.OpenDatabaseConfiguration.default.name == "pm")
        #expect(
            Database.OpenDatabaseConfiguration.default.fileLocation.lastPathComponent == "Settle")
        #expect(Mine.default.name == "mine")
        #expect(Mine.default.fileLocation == FileManager.default.temporaryDirectory)
    }

    @Test func `finds documents and indexes of an earlier time`() async throws {
        let directory = try ScratchDirectory("open")
        let index = Database.Index.keyPaths(name: "byN", keys: [["n"]])
        let wanted = Database.OpenDatabaseConfiguration(
            name: "a", fileLocation: directory.url, indexes: [index])
        let first = try #require(try await Database.open(with: wanted, create: true))
        try await first.add(["id": "x", "n": 1])
        #expect(try await first.runQuery(on: "byN").count == 1)
        await first.close()
        let second = try #require(try await Database.open(with: wanted))
        try await second.add(["id": "y", "n": 0])
        #expect(try await second.runQuery(on: "byN").rows.map(\.documentId) == ["y", "x"])
        await second.close()
    }
}
