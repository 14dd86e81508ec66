import Settle
public import SettleSync

extension ConflictHandler {
    /// Merges entities property by property, so that no value is lost and no one is asked.
    ///
    /// Of each property the later entry is current, here and on the server, and the other one is history. Whatever the
    /// order in which devices synchronize, all come to the same. A document that is gone on one side is taken from the
    /// other. Members that are not the entity's are merged as ``/SettleSync/ConflictHandler/merge`` does it; so are conflicts
    /// of other documents. An entity that was written by a newer release, or that something else than a datastore has changed, is left.
    public static var entities: ConflictHandler { entities(otherwise: .merge) }

    /// As ``entities``, with another handler for other documents and for members that are not the entity's.
    ///
    /// It is asked about an entity when such members, or attachments, differ here and on the server; what it answers decides about them
    /// alone, but for `leave` and `stop`.
    ///
    /// - Parameter handler: The other handler.
    /// - Returns: The handler.
    public static func entities(otherwise handler: ConflictHandler) -> ConflictHandler {
        ConflictHandler(mayStop: handler.mayStop) { conflict in
            guard let known = conflict.local ?? conflict.server ?? conflict.base,
                EntityState.isEntity(known) || EntryRecord.isEntry(known)
            else { return await handler(conflict) }
            guard let local = conflict.local else { return .useServer }
            guard let server = conflict.server else { return .useLocal }
            // Entries with one identifier are the same; what may differ are members that are not theirs.
            if EntryRecord.isEntry(local) { return .useServer }
            guard var state = try EntityState(local), let other = try EntityState(server) else {
                return .leave
            }
            let superseded = state.merge(other)
            var (merged, added) = (local, [Document]())
            if !local.hasSameBesideEntity(as: server) {
                switch await handler(conflict) {
                case .useLocal: break
                case .useServer: merged = server
                case .use(let document): merged = document
                case .useAndAdd(let document, let others): (merged, added) = (document, others)
                case .leave: return .leave
                case .stop: return .stop
                }
            }
            state.write(into: &merged)
            return .useAndAdd(
                merged,
                added
                    + superseded.map { [merged] key, entry in
                        EntryRecord(entity: state.id, key: key, entry: entry).document(of: merged)
                    })
        }
    }
}

extension Document {
    /// Whether two documents of an entity have the same attachments, and the same members that are an app's own.
    fileprivate func hasSameBesideEntity(as other: Document) -> Bool {
        func others(_ document: Document) -> [String: JSONValue] {
            document.json.filter { !EntityFormat.entityMembers.contains($0.key) }
        }
        return attachments == other.attachments && others(self) == others(other)
    }
}
