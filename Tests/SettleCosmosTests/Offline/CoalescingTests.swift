import CosmosModel
import Foundation
import Settle
import SettleDocuments
import TestSupport
import Testing

@testable import SettleCosmos

extension Cosmos.QueuedWrite {
    /// It as a replace.
    fileprivate var replacing: Cosmos.QueuedWrite {
        var write = self
        write.kind = .replace
        return write
    }
}

@Suite struct `Coalescing` {
    /// What an app does with one document.
    enum Step: CaseIterable {
        case create, replace, replaceAny, upsert, delete, deleteAny
    }

    /// What the service has of the document: a text and its version.
    struct Stored: Equatable {
        var text: String
        var etag: String
    }

    /// A queue and what the device has after some steps.
    struct Device {
        var copy: Stored?
        /// Whether there is surely none.
        var isAbsent = false
        var isCoalesced: Bool
        var queue: [(write: Cosmos.QueuedWrite, text: String)] = []

        /// Applies a step as the cache does; answers whether it is refused.
        mutating func apply(_ step: Step, _ number: Int) -> Bool {
            let presence: Cosmos.Presence = copy != nil ? .present : isAbsent ? .absent : .unknown
            let action: Cosmos.Operation.Action =
                switch step {
                case .create: .create
                case .replace, .replaceAny: .replace
                case .upsert: .upsert
                case .delete, .deleteAny: .delete
                }
            if presence.refusal(of: action) != nil { return true }
            let makes = action == .create || (action == .upsert && copy == nil)
            let link = Cosmos.Link.document("1", inCollection: "c", inDatabase: "d")
            var write = Cosmos.QueuedWrite(
                action == .delete ? .delete : makes ? .create : .replace, .document, link,
                partition: "[1]")
            write.isUpsert = step == .upsert
            if step == .replace || step == .delete { write.etag = copy?.etag }
            if action != .delete { write.localEtag = "local \(number)" }
            copy = action == .delete ? nil : Stored(text: "text \(number)", etag: "local \(number)")
            isAbsent = action == .delete
            let text = copy?.text ?? ""
            if isCoalesced, let last = queue.last {
                switch last.write.coalesced(with: write) {
                case .one(let left):
                    queue[queue.count - 1] = (left, text)
                    return false
                case .nothing:
                    queue.removeLast()
                    isAbsent = false
                    return false
                case .both: break
                }
            }
            queue.append((write, text))
            return false
        }

        /// What the service has after it was sent, and whether anything was refused.
        func sent(to service: Stored?) -> (Stored?, Bool) {
            var stored = service
            var isRefused = false
            for (write, text) in queue {
                let new = write.localEtag.map { Stored(text: text, etag: $0) }
                let matches = write.etag == nil || write.etag == stored?.etag
                switch write.kind {
                case .create where stored == nil || (write.isUpsert && matches): stored = new
                case .replace where stored != nil && matches: stored = new
                case .replace where stored == nil && write.isUpsert: stored = new
                case .delete where stored != nil && matches: stored = nil
                case .delete where stored == nil && write.isUpsert: continue
                default: isRefused = true
                }
            }
            return (stored, isRefused)
        }
    }

    private func sequences(upTo length: Int) -> [[Step]] {
        var all: [[Step]] = [[]]
        var last: [[Step]] = [[]]
        for _ in 0..<length {
            last = last.flatMap { steps in Step.allCases.map { steps + [$0] } }
            all += last
        }
        return all
    }

    @Test func `leaves what all the writes one by one would have left, for every sequence`() {
        let mine = Stored(text: "old", etag: "1")
        let theirs = Stored(text: "theirs", etag: "2")
        for steps in sequences(upTo: 5) {
            for copy in [nil, mine] {
                var coalesced = Device(copy: copy, isCoalesced: true)
                var whole = Device(copy: copy, isCoalesced: false)
                var isKnown = true
                for (number, step) in steps.enumerated() {
                    let one = coalesced.apply(step, number)
                    let other = whole.apply(step, number)
                    // A create that vanished leaves the device without knowledge of the document.
                    isKnown = isKnown && one == other
                    guard isKnown else { break }
                }
                guard isKnown else { continue }
                #expect(coalesced.queue.count <= 1)
                #expect(coalesced.copy == whole.copy)
                let (left, isRefused) = coalesced.sent(to: copy)
                let (right, _) = whole.sent(to: copy)
                #expect(left == right, "\(steps) from \(copy?.text ?? "nothing")")
                // What the device knew about is never refused.
                if copy != nil || steps.first == .create || steps.first == .upsert {
                    #expect(!isRefused, "\(steps)")
                }
                // Another writer's version is overwritten only where the writes one by one would do so.
                let (kept, _) = coalesced.sent(to: theirs)
                let (overwritten, _) = whole.sent(to: theirs)
                #expect(
                    kept == overwritten || kept == theirs,
                    "\(steps) from \(copy?.text ?? "nothing") against another writer")
            }
        }
    }

    @Test func `follows the table`() {
        let link = Cosmos.Link.document("1", inCollection: "c", inDatabase: "d")
        func write(_ kind: Cosmos.QueuedWrite.Kind, _ etag: String? = nil) -> Cosmos.QueuedWrite {
            var write = Cosmos.QueuedWrite(kind, .document, link, partition: "[1]")
            write.etag = etag
            write.localEtag = kind == .delete ? nil : "\(kind)"
            return write
        }
        func left(_ one: Cosmos.QueuedWrite, _ other: Cosmos.QueuedWrite) -> String {
            switch one.coalesced(with: other) {
            case .one(let left): "\(left.kind) \(left.localEtag ?? "-") \(left.etag ?? "any")"
            case .nothing: "nothing"
            case .both: "both"
            }
        }
        #expect(left(write(.create), write(.replace, "create")) == "create replace any")
        #expect(left(write(.create), write(.delete, "create")) == "nothing")
        #expect(left(write(.replace, "1"), write(.replace, "replace")) == "replace replace 1")
        #expect(left(write(.replace, "1"), write(.delete, "replace")) == "delete - 1")
        #expect(left(write(.delete, "1"), write(.create)) == "replace create 1")
        // To the app a replace, though it may have to make the document.
        guard case .one(let made) = write(.delete, "1").coalesced(with: write(.create)) else {
            Issue.record("They are not one.")
            return
        }
        #expect(made.isUpsert && Cosmos.OfflineWrite(made)?.action == .replace)
        var upsert = write(.create)
        upsert.isUpsert = true
        guard case .one(let upserted) = made.coalesced(with: upsert.replacing) else {
            Issue.record("They are not one.")
            return
        }
        #expect(Cosmos.OfflineWrite(upserted)?.action == .createOrReplace)
        // Whoever depends on no version takes away the dependence.
        #expect(left(write(.replace, "1"), write(.replace)) == "replace replace any")
        #expect(Cosmos.Presence.present.refusal(of: .create) == .conflict)
        #expect(Cosmos.Presence.absent.refusal(of: .replace) == .notFound)
        #expect(Cosmos.Presence.absent.refusal(of: .delete) == .notFound)
        #expect(Cosmos.Presence.absent.refusal(of: .create) == nil)
        #expect(Cosmos.Presence.unknown.refusal(of: .replace) == nil)
        // What may have been carried out stays as it is, and so does a batch.
        var uncertain = write(.create)
        uncertain.isUncertain = true
        #expect(left(uncertain, write(.replace)) == "both")
        #expect(left(write(.batch), write(.replace)) == "both")
    }

    @Test func `that leaves nothing is the end of the queue, when there is a network`() async throws
    {
        let account = try await OfflineAccount()
        account.goOffline()
        try await account.create(Person(id: "1", city: "Bern"))
        try await account.delete("1", "Bern")
        account.service.clearLog()
        let told = events(of: account.client)
        try await account.goOnline()
        #expect(await told.value.lines == ["processed"])
        #expect(account.service.log.isEmpty)
        try await account.close()
    }

    /// The verbs of a client on one document.
    enum Verb: CaseIterable {
        case create, replace, upsert, patch, delete
    }

    /// Does a step, and answers how it ended.
    private func perform(
        _ verb: Verb, _ id: String, _ number: Int, by client: Cosmos.Client
    ) async throws -> String {
        let person = Person(id: id, city: "Bern", age: number)
        do throws(Cosmos.ClientError) {
            switch verb {
            case .create:
                return try await
                    "\(client.create(person, inCollection: "people", inDatabase: "crm").statusCode)"
            case .replace:
                return try await
                    "\(client.replace(person, inCollection: "people", inDatabase: "crm").statusCode)"
            case .upsert:
                return try await
                    "\(client.createOrReplace(person, inCollection: "people", inDatabase: "crm").statusCode)"
            case .patch:
                return try await
                    "\(client.patch(documentWithId: id, as: Person.self, with: [.increment(path: "/age", by: 10)], inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm").statusCode)"
            case .delete:
                return try await
                    "\(client.delete(documentWithId: id, fromCollection: "people", withPartitionKey: "Bern", fromDatabase: "crm").statusCode)"
            }
        } catch {
            return "\(error.kind)"
        }
    }

    @Test func `has the answers and the outcome of a service that is there, for every sequence`()
        async throws
    {
        let account = try await OfflineAccount()
        let online = try account.otherClient()
        var sequences: [[Verb]] = [[]]
        var last: [[Verb]] = [[]]
        for _ in 0..<4 {
            last = last.flatMap { verbs in Verb.allCases.map { verbs + [$0] } }
            sequences += last
        }
        // The device knows of the document: it has a copy of it, or makes it.
        let known = sequences.flatMap { verbs in
            [(verbs, true)] + (verbs.first == .create ? [(verbs, false)] : [])
        }
        for (index, (_, isThere)) in known.enumerated() where isThere {
            try await account.create(Person(id: "\(index)", city: "Bern", age: 0))
            try await online.create(
                Person(id: "online-\(index)", city: "Bern", age: 0),
                inCollection: "people", inDatabase: "crm")
        }
        account.goOffline()
        var compared: [Int] = []
        for (index, (verbs, isThere)) in known.enumerated() {
            var isSame = true
            for (number, verb) in verbs.enumerated() {
                let mine = try await perform(verb, "\(index)", number, by: account.client)
                let real = try await perform(verb, "online-\(index)", number, by: online)
                #expect(mine == real, "\(verbs) at \(number)")
                // What was made and deleted here is not known any more.
                if !isThere, verb == .delete { isSame = number == verbs.count - 1 }
                if !isSame { break }
            }
            if isSame { compared.append(index) }
        }
        try await account.goOnline()
        for index in compared {
            var mine = try await account.remote("\(index)", "Bern")
            mine?.id = "online-\(index)"
            #expect(
                try await account.remote("online-\(index)", "Bern") == mine, "\(known[index].0)")
        }
        #expect(compared.count > 500)
        try await account.close()
    }
}
