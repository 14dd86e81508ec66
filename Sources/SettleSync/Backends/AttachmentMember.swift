import Settle
import SettleTableProtocol

/// The member under which a document's attachments travel: what each is, without its content.
///
/// Shape: an object of the names, each with `content_type`, `length` and `digest` (SHA-256, 64
/// hexadecimal digits in lower case), after CouchDB's `_attachments`.
enum AttachmentMember {
    static let name = AttachmentColumn.name

    /// An object of the member alone, which describes no attachment.
    static let none: PackedValue = {
        guard let member = try? PackedValue([name: [:]]) else {
            preconditionFailure("An object of one empty object can always be packed.")
        }
        return member
    }()

    static func value(of attachments: [DocumentAttachment]) -> JSONValue {
        .object(
            attachments.reduce(into: [:]) { object, attachment in
                object[attachment.name] = AttachmentDescription.json(
                    contentType: attachment.contentType, length: attachment.length,
                    digest: attachment.digest)
            })
    }

    /// The attachments that a document's members describe, by name; nil when they describe none,
    /// because the member is absent or something else.
    static func attachments(in members: [String: JSONValue]) -> [DocumentAttachment]? {
        attachments(of: members[name].map { .value($0) })
    }

    /// The attachments that the member describes; nil when it is absent or something else.
    static func attachments(of member: JSONForm?) -> [DocumentAttachment]? {
        guard let member, case .object(let object) = member.value else { return nil }
        var attachments: [DocumentAttachment] = []
        for (name, description) in object.sorted(by: { $0.key < $1.key }) {
            guard let description = AttachmentDescription(name: name, shapedAs: description),
                let attachment = try? DocumentAttachment(
                    name: name, contentType: description.contentType, length: description.length,
                    digest: description.digest.text)
            else { return nil }
            attachments.append(attachment)
        }
        return attachments
    }

    /// The digests of what members describe.
    static func digests(in members: [String: JSONValue]?) -> Set<String> {
        Set(members.flatMap { attachments(in: $0) }?.map(\.digest) ?? [])
    }
}
