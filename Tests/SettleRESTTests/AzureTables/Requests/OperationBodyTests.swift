import Settle
import SettleSync
import TestSupport
import Testing

@testable import SettleREST

/// Bodies are written from packed members where that can be done, and from values where it cannot.
@Suite struct `Operations in either form` {
    private static let names = [
        "text", "n", "größe", "gro\u{308}ße", "K", "\u{212A}", ";", "id", "ID", "_id", "version",
        "_version", "__version", "Deleted", "updatedAt", "createdAt", "__createdAt", "@removed",
        "_@removed", "_attachments", "_", "__", "", "\u{1}\"",
    ]

    private static let values: [JSONValue] = [
        "a", "\"\\\u{7}é", 1, -1.5, 1e300, true, .null, [1, "x", .null], ["id": "b"], [:],
    ]

    private static let dialects = AzureTablesBackend.Dialect.all

    /// The texts of an operation in both forms: alone and in a batch.
    private static func texts(
        _ operation: RemoteOperation, _ dialect: AzureTablesBackend.Dialect
    ) throws -> [[[UInt8]?]] {
        var packed = RemoteOperation(
            kind: operation.kind, id: operation.id, baseVersion: operation.baseVersion,
            form: .packed(try PackedValue(.object(operation.members))),
            changedNames: operation.changedNames)
        packed.sendsOnlyChanges = operation.sendsOnlyChanges
        return [operation, packed].map { operation in
            let body = OperationBody(operation, dialect)
            return [
                body.item(), body.change(), BatchElement(0, operation, dialect)?.text,
            ]
        }
    }

    private static func check(_ operation: RemoteOperation) throws -> Bool {
        for dialect in dialects {
            let pair = try texts(operation, dialect)
            guard pair[0] == pair[1] else { return false }
        }
        return true
    }

    @Test func `are the same texts with every name and value`() throws {
        for name in Self.names {
            for value in Self.values {
                for changed in [nil, [], [name], [name, "gone"], ["gone"]] as [Set<String>?] {
                    for members in [[name: value], [name: value, "a": 1], ["a": 1]] {
                        var operation = RemoteOperation(
                            kind: changed == nil ? .insert : .update, id: "a\"é",
                            baseVersion: "v", members: members, changedNames: changed)
                        #expect(try Self.check(operation), "\(operation)")
                        operation.sendsOnlyChanges = true
                        #expect(try Self.check(operation), "\(operation)")
                    }
                }
            }
        }
    }

    @Test func `are the same texts with any members`() throws {
        var random = SeededGenerator()
        for _ in 0..<3_000 {
            var members: [String: JSONValue] = [:]
            var changed: Set<String> = []
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                guard let name = Self.names.randomElement(using: &random) else { continue }
                members[name] = Self.values.randomElement(using: &random)
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                if let name = Self.names.randomElement(using: &random) { changed.insert(name) }
            }
            for kind in OperationKind.allCases {
                var operation = RemoteOperation(
                    kind: kind, id: "d", baseVersion: "v", members: members,
                    changedNames: kind == .update ? changed : nil)
                operation.sendsOnlyChanges = Bool.random(using: &random)
                #expect(try Self.check(operation), "\(random) \(operation)")
            }
        }
    }

    @Test func `leave out attachments that are unchanged, from packed members as from values`()
        throws
    {
        let members: [String: JSONValue] = [
            "text": "x", "größe": 1, "version": 2, "_attachments": [:],
        ]
        let operation = RemoteOperation(
            kind: .insert, id: "a", baseVersion: nil,
            form: .packed(try PackedValue(.object(members))))
        let text = String(decoding: OperationBody(operation, .v2).item(), as: UTF8.self)
        #expect(text == #"{"_version":2,"größe":1,"id":"a","text":"x"}"#)
    }
}
