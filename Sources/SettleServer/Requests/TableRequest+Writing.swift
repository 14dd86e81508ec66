import Foundation
import HTTPTypes
import Hummingbird
import Settle
import SettleTableProtocol

extension TableRequest {
    /// POST to a table: 201 with the new item.
    func insert(into name: TableName) async throws -> Response {
        let body = try await itemBody(for: .insert)
        let id = body.id ?? UUID().uuidString.lowercased()
        try ItemIdentifier.check(id)
        let operation = WriteRequest.insert(
            members: body.members, attachments: body.attachments)
        // A table comes into being with its first item only, not with one that is refused.
        if case .refuse(let problem) = operation.decision(
            on: nil, expecting: .none, by: identity)
        {
            throw problem
        }
        let existing = try await table(name)
        if existing == nil, let attachment = body.attachments?.first {
            throw HostedTable.contentMissing(attachment.name)
        }
        let table = if let existing { existing } else { try await table(name, isCreated: true) }
        guard let table else { throw Problem.missing }
        let item = try await table.perform(
            ItemWrite(operation: operation, id: id), by: identity, now: responder.now())
        responder.metrics.itemsWritten(1)
        return try await respond(
            item, status: .created,
            headers: [.location: "/tables/\(name.text)/\(PercentEncoding.encoded(item.id))"])
    }

    /// PATCH of an item: 200 with the item as it is now.
    func update(_ id: String, in name: TableName) async throws -> Response {
        let expectation = try expectation
        let operation: WriteRequest
        if dialect.takesJSONPatch, isJSONPatch {
            operation = .patch(try await read { try JSONPatch(packed: try ItemBody.json($0)) })
        } else {
            let body = try await itemBody(for: .update)
            try Self.check(body, isFor: id)
            operation = .update(
                members: body.members, attachments: body.attachments, seenVersion: body.version,
                undeletes: body.deleted == false)
        }
        return try await respond(operation, on: id, in: name, expectation)
    }

    /// PUT of an item: 200 with the item as it is now, which has the members of the body alone.
    func replace(_ id: String, in name: TableName) async throws -> Response {
        let expectation = try expectation
        let isUndeleteWanted = try dialect.undeletesByReplacing && includesDeleted
        let body = try await itemBody(for: .replacement)
        try Self.check(body, isFor: id)
        let operation = WriteRequest.replace(
            members: body.members, attachments: body.attachments, seenVersion: body.version,
            undeletes: isUndeleteWanted && body.deleted != true)
        return try await respond(operation, on: id, in: name, expectation)
    }

    private static func check(_ body: ItemBody, isFor id: String) throws(Problem) {
        if let bodyId = body.id, !bodyId.utf8.elementsEqual(id.utf8) {
            throw Problem(.badRequest, "The id of the body and the id of the path differ.")
        }
    }

    /// DELETE of an item: 204; the row stays for those who pull.
    func delete(_ id: String, in name: TableName) async throws -> Response {
        let item = try await perform(.delete, on: id, in: name, try expectation)
        return TableResponse.empty(.noContent, about: item, in: dialect)
    }

    /// POST to an item, without a body: 200 with the item, no longer deleted.
    func undelete(_ id: String, in name: TableName) async throws -> Response {
        let expectation = try expectation
        let isEmpty = try await read { bytes in
            bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
        guard isEmpty else {
            throw Problem(
                .badRequest,
                "A POST to an item undeletes it and takes no body; update it with PATCH.")
        }
        return try await respond(.undelete, on: id, in: name, expectation)
    }

    private func respond(
        _ operation: WriteRequest, on id: String, in name: TableName,
        _ expectation: VersionExpectation
    ) async throws -> Response {
        try await respond(try await perform(operation, on: id, in: name, expectation))
    }

    private func perform(
        _ operation: WriteRequest, on id: String, in name: TableName,
        _ expectation: VersionExpectation
    ) async throws -> TableItem {
        guard let table = try await table(name) else {
            throw Problem.missing
        }
        let item = try await table.perform(
            ItemWrite(operation: operation, id: id, expectation: expectation), by: identity,
            now: responder.now())
        responder.metrics.itemsWritten(1)
        return item
    }
}
