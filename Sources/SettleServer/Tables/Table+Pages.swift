import Settle

extension Table {
    /// Reads one page of a list, all of it from one state of the database.
    ///
    /// - Parameters:
    ///   - request: What the list shall hold.
    ///   - identity: Who reads; items that are not theirs are left out as if they did not exist.
    /// - Returns: The page.
    /// - Throws: ``ODataError`` when the filter or the order makes a string longer than the limit,
    ///   takes too much work or too much memory; `CancellationError` when the task is cancelled;
    ///   ``DatabaseError`` when the database cannot be read.
    /// - Complexity: For an order by `updatedAt` or by id: the items from where the filter,
    ///   or the page before, lets the walk begin, up to the last item of the page. For other
    ///   orders and when a count is asked for: all items the filter's bounds let through.
    func page(_ request: PageRequest, for identity: Identity) throws -> Page {
        try database.read { snapshot in
            let ids = request.filter?.candidateIds
            let isOrdered = ids == nil ? request.walk != .sorted : request.walk == .byId
            var collector = PageCollector(
                request: request, identity: identity, isOrdered: isOrdered)
            if let ids {
                for id in ids {
                    try Task.checkCancellation()
                    guard let item = try Self.item(id, in: snapshot) else { continue }
                    try collector.collect(item)
                }
                return try collector.page { try Self.item($0, in: snapshot) }
            }
            switch request.walk {
            case .byId: try Self.walkIds(in: snapshot, into: &collector)
            case .byUpdatedAt, .sorted: try Self.walkTimes(in: snapshot, into: &collector)
            }
            return try collector.page { try Self.item($0, in: snapshot) }
        }
    }

    private static func walkIds(
        in snapshot: Snapshot, into collector: inout PageCollector
    ) throws {
        let start = collector.request.isCounted ? nil : collector.request.after?.id
        try snapshot.forEachDocument(after: start) { document in
            try Task.checkCancellation()
            try collector.collect(try Envelope.item(of: document))
            return !collector.isFull
        }
    }

    /// Walks the timeline from the first time that can matter to the last.
    private static func walkTimes(
        in snapshot: Snapshot, into collector: inout PageCollector
    ) throws {
        let request = collector.request
        let span = request.filter?.updatedAtSpan ?? ODataExpression.Span()
        var start = span.lower?.microseconds ?? 0
        if request.walk == .byUpdatedAt, !request.isCounted,
            case .instant(let instant)? = request.after?.keys.first
        {
            start = max(start, instant.microseconds)
        }
        let end = span.upper?.microseconds ?? .max
        try TableTimeline.forEach(from: start, in: snapshot) { entry in
            try Task.checkCancellation()
            if entry.time > end { return false }
            if entry.isMark {
                guard collector.wantsDepartures, let item = try item(entry.id, in: snapshot)
                else { return true }
                try collector.collectDeparture(of: item, at: entry.time)
                return !collector.isFull
            }
            // Deleted items that are not asked for cost no read of a document.
            if entry.isDeleted, !request.includesDeleted { return true }
            if collector.countsUnseen {
                collector.countUnseen()
                return true
            }
            if let item = try item(entry.id, in: snapshot) { try collector.collect(item) }
            return !collector.isFull
        }
    }
}
