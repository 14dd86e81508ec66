package import Foundation
import Settle
import SettlePrimitives
import SettleTableProtocol
import Synchronization

/// The contents of a table that were uploaded and that no item has taken yet, and by whom.
///
/// Kept in memory: a server that was stopped in between asks for the content once more, and the store
/// gives up what it held when it is opened a day later.
package final class HeldContents: Sendable {
    private struct Hold {
        /// What keeps the content in the store.
        var lease: DocumentAttachment
        /// Until when an item may take it.
        var end: Date
    }

    /// How long content waits for an item, in seconds: a day, as the store has it.
    package static let waitSeconds: TimeInterval = 86_400
    /// How much longer it stays, in seconds, for writes that were under way at the end:
    /// ten minutes.
    package static let graceSeconds: TimeInterval = 600

    private let holds = Lock<[AttachmentDigest: [ContentOwner: Hold]]>([:])

    /// Remembers an upload.
    ///
    /// - Parameters:
    ///   - lease: The content, as the store took it.
    ///   - digest: Its digest.
    ///   - owner: Who sent it.
    ///   - now: When.
    /// - Returns: The lease of an earlier upload of the same, to be given up.
    func add(
        _ lease: DocumentAttachment, digest: AttachmentDigest, by owner: ContentOwner, now: Date
    ) -> DocumentAttachment? {
        let hold = Hold(lease: lease, end: now.addingTimeInterval(Self.waitSeconds))
        return holds.withLock {
            $0[digest, default: [:]].updateValue(hold, forKey: owner)?.lease
        }
    }

    /// The content that waits for an owner; one who takes all may take everybody's.
    func content(
        _ digest: AttachmentDigest, for owner: ContentOwner, now: Date
    ) -> DocumentAttachment? {
        holds.withLock { holds in
            guard let owners = holds[digest] else { return nil }
            let hold = owner.takesAll ? owners.values.max { $0.end < $1.end } : owners[owner]
            return hold.flatMap { now < $0.end ? $0.lease : nil }
        }
    }

    /// Ends the wait for contents that the owner uploaded and an item has taken now.
    ///
    /// From now on it is the item that lets its readers attach the content elsewhere.
    func end(_ digests: [AttachmentDigest], of owner: ContentOwner, now: Date) {
        holds.withLock { holds in
            for digest in digests {
                guard let end = holds[digest]?[owner]?.end else { continue }
                holds[digest]?[owner]?.end = min(end, now)
            }
        }
    }

    /// Forgets the contents whose wait is over.
    ///
    /// - Returns: The leases to give up.
    func lapse(now: Date) -> [DocumentAttachment] {
        let limit = now.addingTimeInterval(-Self.graceSeconds)
        return holds.withLock { holds in
            var leases: [DocumentAttachment] = []
            for (digest, owners) in holds {
                let left = owners.filter { $0.value.end > limit }
                guard left.count < owners.count else { continue }
                leases += owners.values.filter { $0.end <= limit }.map(\.lease)
                holds[digest] = left.isEmpty ? nil : left
            }
            return leases
        }
    }
}
