import Settle
import SettlePrimitives
import Synchronization
import TestSupport
import Testing

@testable import SettleSync

/// A push went on to the end of what it had taken up, 256 operations, before a handler was asked
/// that then said stop.
@Suite(.serialized) struct `A conflict handler that may stop` {
    /// Documents `d000` and on, none of them sent; the server has some of them already.
    private func waiting(
        _ count: Int, inConflict places: [Int]
    ) async throws -> (Device, ModelServer) {
        let (device, server) = (try await Device(), ModelServer())
        for place in places { server.put(id(place), ["theirs": true]) }
        for place in 0..<count { try await device.put(id(place), ["n": .integer(Int64(place))]) }
        return (device, server)
    }

    private func id(_ place: Int) -> String {
        let digits = String(place)
        return "d" + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// A back-end that writes down what it is sent, in order.
    private func backend(
        _ server: ModelServer, _ sent: Collected<String>
    ) -> ModelBackend {
        var backend = ModelBackend(server: server)
        backend.batchMax = 64
        backend.rejection = { operation in
            sent.add(operation.id)
            return nil
        }
        return backend
    }

    private func expectStop(
        _ device: Device, _ backend: ModelBackend, at id: String, _ handler: ConflictHandler
    ) async {
        await #expect {
            try await device.replicate(backend) { $0.conflictHandler = handler }
        } throws: {
            let error = $0 as? ReplicationError
            return error?.code == .stoppedByConflictHandler && error?.documentId == id
        }
    }

    @Test(arguments: [0, 5, 40, 299])
    func `holds the push at its conflict: nothing behind it is sent`(place: Int) async throws {
        let (device, server) = try await waiting(300, inConflict: [place])
        let sent = Collected<String>()
        await expectStop(
            device, backend(server, sent), at: id(place), ConflictHandler { _ in .stop })
        #expect(sent.all == (0...place).map { id($0) })
        let pending = try device.database.pendingOperations()
        #expect(pending.map(\.documentId) == (place..<300).map { id($0) })
        #expect(pending.first?.state == .conflict)
        #expect(pending.dropFirst().allSatisfy { $0.state == .waiting && $0.kind == .insert })

        // Nothing was lost: another handler lets all of it through.
        try await device.replicate(server, .localWins)
        #expect(server.contents.count == 300)
        #expect(server.state.withLock { $0.executedCount } == 300)
        #expect(try device.database.pendingOperations().isEmpty)
    }

    @Test func `is asked about a conflict that a pull showed before anything behind it is sent`()
        async throws
    {
        let (device, server) = try await waiting(20, inConflict: [7])
        try await device.replicate(ModelBackend(server: server)) { $0.isBidirectional = false }
        let sent = Collected<String>()
        await expectStop(device, backend(server, sent), at: id(7), ConflictHandler { _ in .stop })
        #expect(sent.all == (0..<7).map { id($0) })
    }

    @Test func `stops at the first conflict at which it says so, and settles those before`()
        async throws
    {
        let (device, server) = try await waiting(100, inConflict: [3, 50, 51])
        let sent = Collected<String>()
        let last = id(50)
        await expectStop(
            device, backend(server, sent), at: last,
            ConflictHandler { $0.documentId == last ? .stop : .useLocal })
        #expect(server.contents[id(3)] == ["n": 3])
        #expect(server.contents[last] == ["theirs": true])
        #expect(Set(sent.all) == Set((0...50).map { id($0) }))
        // In the order of the queue; the one that was decided goes again, before all others.
        #expect(sent.all == (0...3).map { id($0) } + (3...50).map { id($0) })
    }

    @Test func `is not given a chance to hold what goes together when it says that it never stops`()
        async throws
    {
        let (device, server) = try await waiting(100, inConflict: [3])
        try await device.replicate(backend(server, Collected())) {
            $0.conflictHandler = ConflictHandler(mayStop: false) { _ in .useLocal }
        }
        #expect(server.contents.count == 100)
        #expect(server.state.withLock { $0.sentCounts.max() } == 64)
        #expect(ConflictHandler { _ in .leave }.mayStop)
        for ready in [ConflictHandler.leave, .serverWins, .localWins, .latestWins, .merge] {
            #expect(!ready.mayStop)
        }
    }

    @Test(arguments: ModelBackend.Fault.allCases)
    func `loses nothing whatever befalls its requests`(fault: ModelBackend.Fault) async throws {
        let (device, server) = try await waiting(40, inConflict: [20])
        let script = Script<ModelBackend.Fault>([.none, .none, fault], then: .none)
        var backend = ModelBackend(server: server)
        backend.fault = { script.next() }
        try await device.replicate(backend) {
            $0.conflictHandler = ConflictHandler { _ in .useLocal }
            $0.retryLimit = 3
            $0.clock = ImmediateClock()
        }
        #expect(server.contents.count == 40)
        #expect(server.contents[id(20)] == ["n": 20])
        #expect(server.complaints.isEmpty)
        #expect(try device.database.pendingOperations().isEmpty)
    }
}
