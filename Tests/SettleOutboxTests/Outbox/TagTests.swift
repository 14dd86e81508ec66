import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleOutbox

@Suite(.serialized) struct `Tags` {
    @Test func `of every kind come back, also after a restart`() async throws {
        let queue = try await QueueFixture()
        let tags: [(String, CloudTag)] = [
            ("text", .string("W/\"1\"")), ("empty", .string("")), ("unicode", .string("zoë\0x")),
            ("number", .number(-1.5)), ("infinity", .number(.infinity)), ("zero", .number(-0.0)),
            ("data", .data(Data([0, 255, 7]))), ("no data", .data(Data())),
        ]
        try await queue.outbox.write { queue in
            for (identifier, tag) in tags { try queue.setTag(tag, identifier, of: "uri") }
            let found = try queue.tag("text", of: "uri")
            #expect(found == tags[0].1)
        }
        let again = try await queue.reopened()
        for (identifier, tag) in tags {
            let found = try again.outbox.read { try $0.tag(identifier, of: "uri") }
            #expect(found == tag)
        }
        let (none, other) = try again.outbox.read { snapshot in
            (try snapshot.tag("none", of: "uri"), try snapshot.tag("text", of: "other"))
        }
        #expect(none == nil && other == nil)
    }

    @Test func `that are whole numbers stay exact, also after a restart`() async throws {
        let queue = try await QueueFixture()
        let numbers: [Int64] = [
            0, -1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 9_007_199_254_740_993, .max, .max - 1,
            .min,
        ]
        try await queue.outbox.write { queue in
            for number in numbers { try queue.setTag(.integer(number), "\(number)", of: "uri") }
        }
        let again = try await queue.reopened()
        for number in numbers {
            let found = try again.outbox.read { try $0.tag("\(number)", of: "uri") }
            #expect(found == .integer(number))
            #expect(found?.integer == number)
            #expect(found?.number == Double(exactly: number))
        }
    }

    @Test func `are read as whole numbers or as doubles where that changes nothing`() {
        #expect(CloudTag.number(7).integer == 7 && CloudTag.integer(7).number == 7)
        #expect(CloudTag.number(7.5).integer == nil && CloudTag.number(1e300).integer == nil)
        #expect(CloudTag.integer(.max).number == nil)
        #expect(CloudTag.string("7").integer == nil && CloudTag.data(Data()).number == nil)
    }

    @Test func `that an earlier release stored are read`() throws {
        var row = RowReader([2, 0x40, 0x1C, 0, 0, 0, 0, 0, 0], place: "a tag")
        #expect(try CloudTag(from: &row) == .number(7))
        var damaged = RowReader([4, 0, 0, 0], place: "a tag")
        #expect(throws: DatabaseError.self) { try CloudTag(from: &damaged) }
        var unknown = RowReader([5], place: "a tag")
        #expect(throws: DatabaseError.self) { try CloudTag(from: &unknown) }
    }

    @Test func `are overwritten, removed one by one, and removed with their key`() async throws {
        let queue = try await QueueFixture()
        try await queue.outbox.write { queue in
            for key in ["a", "b"] {
                for identifier in ["x", "y", "z"] {
                    try queue.setTag(.number(1), identifier, of: key)
                }
            }
            try queue.setTag(.string("new"), "x", of: "a")
            try queue.setTag(nil, "y", of: "a")
            try queue.setTag(nil, "never", of: "a")
        }
        var found = try [all(of: "a", in: queue), all(of: "b", in: queue)]
        #expect(found == [["x", "z"], ["x", "y", "z"]])
        let tag = try queue.outbox.read { try $0.tag("x", of: "a") }
        #expect(tag == .string("new"))
        try await queue.outbox.write { try $0.removeAllTags(of: "b") }
        found = try [all(of: "a", in: queue), all(of: "b", in: queue)]
        #expect(found == [["x", "z"], []])
    }

    @Test func `are walked in the byte order of their identifiers, as far as is wanted`()
        async throws
    {
        let queue = try await QueueFixture()
        let identifiers = ["b", "a", "aa", "Z", "é", "\u{10FFFF}", "~"]
        try await queue.outbox.write { queue in
            for identifier in identifiers {
                try queue.setTag(.string(identifier), identifier, of: "k")
            }
        }
        let found = try all(of: "k", in: queue)
        #expect(found == ["Z", "a", "aa", "b", "~", "é", "\u{10FFFF}"])
        var first: [String] = []
        try queue.outbox.read { snapshot in
            try snapshot.forEachTag(of: "k") { identifier, tag in
                #expect(tag == .string(identifier))
                first.append(identifier)
                return first.count < 2
            }
        }
        #expect(first == ["Z", "a"])
    }

    @Test func `of long keys are those of no other key`() async throws {
        let queue = try await QueueFixture()
        let long = String(repeating: "k", count: 8_191)
        let identifier = String(repeating: "i", count: 400)
        let keys = [long, long + "a", long + "b"]
        try await queue.outbox.write { queue in
            for key in keys {
                try queue.setTag(.string(String(key.suffix(1))), identifier, of: key)
            }
        }
        for key in keys {
            let found = try queue.outbox.read { try $0.tag(identifier, of: key) }
            #expect(found == .string(String(key.suffix(1))))
        }
        try await queue.outbox.write { try $0.removeAllTags(of: keys[1]) }
        let left = try keys.map { try all(of: $0, in: queue).count }
        #expect(left == [1, 0, 1])
    }

    @Test func `that are empty, too long, or too large are refused`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        let long = String(repeating: "x", count: 8_193)
        for (identifier, key) in [
            ("", "k"), ("i", ""), (String(long.prefix(401)), "k"), ("i", long),
        ] {
            let thrown = [
                try await code {
                    try await outbox.write { try $0.setTag(.number(1), identifier, of: key) }
                },
                try await code { _ = try outbox.read { try $0.tag(identifier, of: key) } },
            ]
            #expect(thrown == [.invalidTag, .invalidTag])
        }
        let large = try await code {
            try await outbox.write {
                try $0.setTag(.data(Data(count: 1 << 20)), "i", of: "k")
            }
        }
        #expect(large == .invalidTag)
    }

    @Test func `are undone with the closure`() async throws {
        let queue = try await QueueFixture()
        let outbox = queue.outbox
        await #expect(throws: ExpectedError.self) {
            try await outbox.write { queue in
                try queue.setTag(.number(1), "x", of: "k")
                throw ExpectedError()
            }
        }
        let found = try all(of: "k", in: queue)
        #expect(found.isEmpty)
    }

    @Test func `that are cut off are an error`() throws {
        for tag in [CloudTag.number(1), .string("zoë"), .data(Data([1]))] {
            var row = RowWriter()
            tag.write(to: &row)
            var whole = RowReader(row.bytes, place: "a tag")
            let read = try CloudTag(from: &whole)
            #expect(read == tag)
            var none = RowReader([], place: "a tag")
            #expect(throws: DatabaseError.self) { try CloudTag(from: &none) }
        }
        for bytes: [UInt8] in [[2, 1, 2, 3], [1, 0xC3], [9, 1]] {
            var row = RowReader(bytes, place: "a tag")
            #expect(throws: DatabaseError.self) { try CloudTag(from: &row) }
        }
    }

    private func all(of key: String, in queue: QueueFixture) throws -> [String] {
        var found: [String] = []
        try queue.outbox.read { snapshot in
            try snapshot.forEachTag(of: key) { identifier, _ in
                found.append(identifier)
                return true
            }
        }
        return found
    }
}
