import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

@Suite(.serialized) struct `Listening` {
    private struct Place {
        let device: Device
        let server = ModelServer()
        let clock = ManualClock()

        init() async throws {
            device = try await Device()
        }

        /// Starts a replication that would ask once an hour.
        func start(
            _ backend: ModelBackend? = nil, channels: [String] = []
        ) async throws -> Replication {
            var backend = backend ?? ModelBackend(server: server)
            backend.canListen = true
            return try await device.database.addReplication(
                with: try device.configuration(isRepeating: true) {
                    $0.clock = clock
                    $0.pollInterval = .seconds(3_600)
                    $0.limitToChannels = channels
                }, using: backend)
        }

        var pullCount: Int { server.state.withLock { $0.pullCount } }
        var listenCount: Int { server.state.withLock { $0.listenCount } }

        /// Waits until a document is here.
        func arrival(of id: String) async throws {
            while try await device.members(id) == nil { await Task.yield() }
        }
    }

    @Test func `brings a change at once, without any interval passing`() async throws {
        let place = try await Place()
        let replication = try await place.start()
        for number in 0..<5 {
            await place.server.hasListener()
            place.server.put("d\(number)", [:])
            try await place.arrival(of: "d\(number)")
        }
        #expect(place.clock.now.offset == .zero)
        await replication.stop()
        #expect(place.server.state.withLock { $0.listeners.isEmpty })
        #expect(place.clock.sleeperCount == 0)
    }

    @Test func `makes no request but those that listen while all is quiet`() async throws {
        let place = try await Place()
        place.server.put("a", [:])
        let replication = try await place.start()
        await place.server.hasListener()
        let pullCount = place.pullCount
        for number in 1..<SyncTuning.listeningIntervalCount {
            let listenCount = place.listenCount
            await place.clock.sleepers(reach: 1)
            place.clock.advance(by: .seconds(3_600))
            await place.clock.sleepers(reach: 1)
            place.server.tellNothingChanged()
            await place.server.hasListener()
            #expect(place.listenCount == listenCount + 1, "\(number)")
        }
        #expect(place.pullCount == pullCount)
        // And then it asks all the same.
        place.server.erase("a")
        place.clock.advance(by: .seconds(3_600))
        while place.pullCount == pullCount { await Task.yield() }
        await replication.stop()
    }

    @Test func `does not answer its own pushes with more pushes and pulls`() async throws {
        let place = try await Place()
        let replication = try await place.start()
        for number in 0..<3 {
            await place.server.hasListener()
            let before = place.pullCount
            try await place.device.put("mine\(number)", [:])
            while place.server.contents["mine\(number)"] == nil { await Task.yield() }
            while place.pullCount == before { await Task.yield() }
            await place.server.hasListener()
            // One cycle, and at most one more for its own echo; a page and an empty one each.
            #expect(place.pullCount - before <= 4)
            #expect(place.server.state.withLock { $0.executedCount } == number + 1)
        }
        await replication.stop()
    }

    @Test func `asks at every interval where listening is not offered`() async throws {
        let place = try await Place()
        let replication = try await place.device.database.addReplication(
            with: try place.device.configuration(isRepeating: true) {
                $0.clock = place.clock
                $0.pollInterval = .seconds(60)
            }, using: ModelBackend(server: place.server))
        for number in 0..<3 {
            place.server.put("d\(number)", [:])
            while try await place.device.members("d\(number)") == nil {
                await place.clock.sleepers(reach: 1)
                place.clock.advance(by: .seconds(60))
                for _ in 0..<100 { await Task.yield() }
            }
        }
        #expect(place.listenCount == 0)
        await replication.stop()
    }

    @Test func `takes an answer that comes too soon for none, and tries again after a pause`()
        async throws
    {
        let place = try await Place()
        let replication = try await place.start()
        await place.server.hasListener()
        let pullCount = place.pullCount
        for number in 1...4 {
            #expect(place.listenCount == number)
            place.server.tellNothingChanged()
            // The interval, and the pause.
            await place.clock.sleepers(reach: 2)
            let pause = Duration.seconds(1 << (number - 1))
            place.clock.advance(by: pause - .nanoseconds(1))
            for _ in 0..<200 { await Task.yield() }
            #expect(place.listenCount == number)
            place.clock.advance(by: .nanoseconds(1))
            await place.server.hasListener()
        }
        #expect(place.pullCount == pullCount)
        await replication.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `goes on a second after its line was cut, however long the interval is`() async throws {
        let place = try await Place()
        var backend = ModelBackend(server: place.server)
        let hasFailed = Lock(false)
        backend.listeningFailure = {
            hasFailed.withLock { hasFailed in
                defer { hasFailed = true }
                return hasFailed ? nil : ReplicationError(.unreachable, "The line was cut.")
            }
        }
        let replication = try await place.start(backend)
        await place.clock.sleepers(reach: 2)
        // Nobody tells of it.
        place.server.put("meanwhile", [:])
        place.clock.advance(by: .seconds(1))
        try await place.arrival(of: "meanwhile")
        await place.server.hasListener()
        place.server.put("later", [:])
        try await place.arrival(of: "later")
        #expect(place.clock.now.offset == .seconds(1))
        await replication.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `leaves a remote alone that says so to who listens, whatever is written here`()
        async throws
    {
        let place = try await Place()
        var backend = ModelBackend(server: place.server)
        let hasFailed = Lock(false)
        backend.listeningFailure = {
            hasFailed.withLock { hasFailed in
                defer { hasFailed = true }
                return hasFailed
                    ? nil : ReplicationError(.busy, "Later.", retryAfter: .seconds(10))
            }
        }
        let replication = try await place.start(backend)
        // The interval, and the pause.
        await place.clock.sleepers(reach: 2)
        try await place.device.put("mine", [:])
        while place.server.contents["mine"] == nil {
            for _ in 0..<100 { await Task.yield() }
            place.clock.advance(by: .seconds(1))
        }
        #expect(place.clock.now.offset >= .seconds(10))
        await place.server.hasListener()
        await replication.stop()
    }

    @Test(.timeLimit(.minutes(60)))
    func `delays neither pushes nor polls where there is no free place for a listener`()
        async throws
    {
        let place = try await Place()
        var backend = ModelBackend(server: place.server)
        let failureCount = Lock(0)
        backend.listeningFailure = {
            failureCount.withLock { $0 += 1 }
            return ReplicationError(.busy, "All places are taken.")
        }
        let replication = try await place.start(backend)
        for number in 1...3 {
            // Listening failed: the interval, and the pause.
            await place.clock.sleepers(reach: 2)
            let (now, failures) = (place.clock.now.offset, failureCount.withLock { $0 })
            try await place.device.put("mine\(number)", [:])
            while place.server.contents["mine\(number)"] == nil { await Task.yield() }
            // And again, after that push.
            while failureCount.withLock({ $0 }) == failures { await Task.yield() }
            await place.clock.sleepers(reach: 2)
            #expect(place.clock.now.offset == now)
            place.server.put("theirs\(number)", [:])
            place.clock.advance(by: .seconds(3_600))
            try await place.arrival(of: "theirs\(number)")
            #expect(place.clock.now.offset == now + .seconds(3_600))
        }
        await replication.stop()
    }

    @Test func `listens for the channels as they are`() async throws {
        let place = try await Place()
        let replication = try await place.start(channels: ["red"])
        await place.server.hasListener()
        replication.limitToChannels = ["blue"]
        func listened() -> Set<String>? {
            place.server.state.withLock { $0.listeners.values.first?.query.channels }
        }
        while listened() != ["blue"] { await Task.yield() }
        place.server.put("a", ["channels": ["red"]])
        place.server.put("b", ["channels": ["blue"]])
        try await place.arrival(of: "b")
        #expect(try await place.device.members("a") == nil)
        await replication.stop()
    }
}
