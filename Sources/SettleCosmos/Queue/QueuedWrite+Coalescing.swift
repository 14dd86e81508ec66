extension Cosmos {
    /// What this device knows of whether there is a resource.
    enum Presence: Sendable, CaseIterable {
        /// It has a copy.
        case present
        /// It has deleted it, and that was not sent yet.
        case absent
        /// It has no copy; the service may have the resource.
        case unknown

        /// Why a write cannot be, as far as this device knows; nil when it can.
        func refusal(of action: Operation.Action) -> ClientError.Kind? {
            switch (self, action) {
            case (.present, .create): .conflict
            case (.absent, .replace), (.absent, .patch), (.absent, .delete), (.absent, .get):
                .notFound
            default: nil
            }
        }
    }
}

extension Cosmos.QueuedWrite {
    /// What is left of two writes of one resource, neither of which was ever sent.
    enum Coalesced: Equatable {
        /// This one.
        case one(Cosmos.QueuedWrite)
        /// Nothing: the service never needs to hear of it.
        case nothing
        /// Both, one after the other.
        case both
    }

    /// What is left of this write and a later one.
    ///
    /// | queued | + create | + replace | + delete |
    /// | --- | --- | --- | --- |
    /// | create | refused | create, new body | nothing |
    /// | replace | refused | replace, new body | delete |
    /// | delete | replace, new body | refused | refused |
    ///
    /// What is refused is refused by ``Cosmos/Presence`` before. A create that may replace, and is deleted, stays a
    /// deletion, since the service may have had one.
    ///
    /// - Parameter added: The later write, of the same resource.
    /// - Returns: What is left.
    func coalesced(with added: Cosmos.QueuedWrite) -> Coalesced {
        if kind == .batch || added.kind == .batch || isUncertain || added.isUncertain {
            return .both
        }
        var left = added
        // What the later one depends on is what this one makes; what this one depends on is left.
        if added.etag != nil || kind == .delete {
            left.etag = etag
            left.isStrict = isStrict
        }
        left.isUpsert = isUpsert || added.isUpsert
        if !added.isUpsert { left.followsDeletion = followsDeletion }
        switch (kind, added.kind) {
        case (.create, .replace):
            left.kind = .create
        case (.create, .delete):
            guard isUpsert else { return .nothing }
        case (.replace, .replace), (.replace, .delete):
            break
        case (.delete, .create):
            left.kind = .replace
            left.isUpsert = true
            if added.isUpsert {
                left.etag = added.etag
                left.isStrict = added.isStrict
            } else {
                left.followsDeletion = true
            }
        default: return .both
        }
        return .one(left)
    }
}
