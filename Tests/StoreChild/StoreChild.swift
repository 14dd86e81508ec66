import Foundation
import Settle

/// A program that writes to a database and tells of every commit, for tests that kill it or let
/// its system calls fail.
///
/// `StoreChild batches FOLDER SEED DURABILITY PROFILE LANES LAST [outlive]` writes batches;
/// `StoreChild history FOLDER SEED DURABILITY LANE STEP ...` does one step after the other (`HistoryStep`);
/// `StoreChild examine FOLDER` checks a database that may be damaged so that reading it ends the process;
/// `StoreChild index FOLDER VERSION` builds the index again and again, from that version on;
/// `StoreChild numbers FOLDER VERSION` builds an index by a closure, which minds what documents say;
/// `StoreChild follow FOLDER VERSION ROUNDS` keeps such an index up to date beside other processes;
/// `StoreChild errands FOLDER` adds operations to the outbox and carries them out;
/// `StoreChild replicate FOLDER TABLE NAME` writes and replicates with a table;
/// `StoreChild broken FOLDER` carries operations out while the disk takes nothing;
/// `StoreChild stream FOLDER LENGTH HEADROOM` stores and reads an attachment of that many bytes with
/// that many bytes of memory.
/// It ends with 0 when all is written, with 3 when it gave up after errors of the library, with 1
/// when it met anything else.
@main
struct StoreChild {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
            Report.done.send()
        } catch is BatchWriter.GaveUp {
            exit(3)
        } catch {
            Report(error).send()
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("batches", 7...8):
            guard let seed = UInt64(words[2]), let lanes = Int(words[5]), let last = Int(words[6]),
                let profile = BatchPlan.Profile(rawValue: words[4])
            else { preconditionFailure("These are no arguments for batches: \(words)") }
            let configuration = ChildDatabase.configuration(
                in: URL(fileURLWithPath: words[1], isDirectory: true),
                durability: words[3] == "relaxed" ? .relaxed : .full)
            let work = BatchWriter.Work(
                seed: seed, lanes: lanes, profile: profile, last: last,
                outlivesFailures: words.last == "outlive")
            try await BatchWriter(configuration, work).run()
        case ("history", 5...):
            let steps = words.dropFirst(5).compactMap { HistoryStep($0) }
            guard let seed = UInt64(words[2]), let lane = Int(words[4]),
                steps.count == words.count - 5
            else { preconditionFailure("These are no arguments for a history: \(words)") }
            try await History(
                folder: URL(fileURLWithPath: words[1], isDirectory: true),
                durability: words[3] == "relaxed" ? .relaxed : .full, seed: seed, lane: lane,
                steps: steps
            ).run()
        case ("examine", 2):
            try await examine(URL(fileURLWithPath: words[1], isDirectory: true))
        case ("index", 3):
            guard let first = Int(words[2]) else {
                preconditionFailure("This is no version: \(words[2])")
            }
            try await buildIndexes(in: URL(fileURLWithPath: words[1], isDirectory: true), first)
        case ("numbers", 3):
            let folder = URL(fileURLWithPath: words[1], isDirectory: true)
            try await NumberIndexing(folder: folder, version: words[2]).build()
        case ("follow", 4):
            guard let rounds = Int(words[3]) else {
                preconditionFailure("This is no number of rounds: \(words[3])")
            }
            let folder = URL(fileURLWithPath: words[1], isDirectory: true)
            try await NumberIndexing(folder: folder, version: words[2]).follow(rounds: rounds)
        case ("errands", 2):
            let folder = URL(fileURLWithPath: words[1], isDirectory: true)
            let configuration = ChildDatabase.configuration(in: folder)
            guard let database = try await Database.open(with: configuration, create: true) else {
                preconditionFailure("The database could not be made.")
            }
            try await Errands(database).add()
        case ("replicate", 4):
            let folder = URL(fileURLWithPath: words[1], isDirectory: true)
            let configuration = ChildDatabase.configuration(in: folder, durability: .relaxed)
            guard let database = try await Database.open(with: configuration, create: true),
                let table = URL(string: words[2])
            else {
                preconditionFailure("The database could not be made.")
            }
            try await ReplicationClient(database, name: words[3]).run(against: table)
        case ("broken", 2):
            #if os(Linux)
                let folder = URL(fileURLWithPath: words[1], isDirectory: true)
                let configuration = ChildDatabase.configuration(in: folder)
                guard let database = try await Database.open(with: configuration, create: true)
                else {
                    preconditionFailure("The database could not be made.")
                }
                for (lane, number) in try await ErrandsOnBrokenDisk(database: database).run()
                    .enumerated()
                {
                    Report.committed(lane: lane, number: number).send()
                }
            #else
                preconditionFailure("Files are limited on Linux only.")
            #endif
        case ("stream", 4):
            guard let length = Int(words[2]), let headroom = Int(words[3]) else {
                preconditionFailure("These are no numbers of bytes: \(words)")
            }
            try await stream(
                in: URL(fileURLWithPath: words[1], isDirectory: true), length, headroom)
        default:
            preconditionFailure("There is no such mode: \(words)")
        }
    }

    /// The database is not sound.
    private struct Damaged: Error {}

    /// Opens a database and looks at everything in it.
    private static func examine(_ folder: URL) async throws {
        let configuration = ChildDatabase.configuration(in: folder)
        guard let database = try await Database.open(with: configuration, create: true) else {
            preconditionFailure("A database that may be created was not there.")
        }
        let findings = try await database.check()
        await database.close()
        if !findings.isEmpty { throw Damaged() }
    }

    /// Builds the index in one version after the other, until killed.
    private static func buildIndexes(in folder: URL, _ first: Int) async throws {
        let configuration = ChildDatabase.configuration(in: folder, indexVersion: first)
        guard let database = try await Database.open(with: configuration) else {
            preconditionFailure("The database to index is not there.")
        }
        Report.opened.send()
        for version in first... {
            Report.building(version: version).send()
            try await database.addIndex(ChildDatabase.index(version: version))
        }
    }

    /// Stores and reads a large attachment in little memory.
    private static func stream(in folder: URL, _ length: Int, _ headroom: Int) async throws {
        #if os(Linux)
            let configuration = ChildDatabase.configuration(in: folder)
            guard let database = try await Database.open(with: configuration, create: true) else {
                preconditionFailure("A database that may be created was not there.")
            }
            Report.opened.send()
            try await ContentStreaming(database: database, length: length, headroom: headroom)
                .run()
            await database.close()
        #else
            preconditionFailure("Only Linux limits the memory of a process as is needed here.")
        #endif
    }
}
