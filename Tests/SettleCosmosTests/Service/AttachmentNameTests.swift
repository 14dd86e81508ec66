import Foundation
import TestSupport
import Testing

@testable import SettleCosmos

/// Makes an attachment by the call that has a name, too.
private protocol NamedAttachmentMaker {
    func make(_ id: String, named name: String) async throws -> Cosmos.Response<Cosmos.Attachment>
}

extension OfflineAccount: NamedAttachmentMaker {
    @available(*, deprecated)
    fileprivate func make(
        _ id: String, named name: String
    ) async throws -> Cosmos.Response<Cosmos.Attachment> {
        try await client.create(
            attachmentWithId: id, contentType: "image/jpeg", name: name, with: Data([1]),
            onDocument: "1", inCollection: "people", withPartitionKey: "Bern", inDatabase: "crm")
    }
}

@Suite struct `An attachment with an id and a name` {
    @Test(arguments: [false, true]) func `has that id`(isOffline: Bool) async throws {
        let account = try await OfflineAccount()
        try await account.create(Person(id: "1", city: "Bern"))
        if isOffline { account.goOffline() }
        let maker: any NamedAttachmentMaker = account
        let made = try await maker.make("photo", named: "a holiday.jpg")
        #expect(made.resource.id == "photo" && made.fromCache == isOffline)
        await #expect {
            _ = try await maker.make("a photo", named: "photo.jpg")
        } throws: { isError(.invalidId)($0) }
        try await account.goOnline()
        let attachments = try await account.otherClient().get(
            attachmentsOn: "1", inCollection: "people", withPartitionKey: "Bern",
            inDatabase: "crm"
        ).all()
        #expect(attachments.map(\.id) == ["photo"])
        try await account.close()
    }
}
