import Settle

extension Backend {
    /// Carries out operations of one claim, and looks up items whose answers leave something out.
    ///
    /// An answer that leaves something out is half an answer until the item was looked up. When that
    /// fails, the operation counts as one without an answer, which is sent again and recognised. Where
    /// items may not be read, what was stored is stored, and the document keeps its members.
    ///
    /// - Parameters:
    ///   - claimed: The operations; those with attachments come alone.
    ///   - omissions: Members that the server is known to leave out, which are not looked up.
    /// - Returns: One result for each.
    func answers(
        to claimed: [ClaimedOperation], omissions: OmittedMembers
    ) async -> [Result<RemoteOutcome, ReplicationError>] {
        var results = await send(claimed)
        // A server that is busy or gone is not asked at once for something else.
        var obstacle = results.lazy.compactMap(\.failure).first { !$0.mayConcernOneDocument }
        for (index, claimed) in claimed.enumerated() {
            guard case .success(let outcome) = results[index] else { continue }
            do throws(ReplicationError) {
                results[index] = .success(
                    try await completed(
                        outcome, of: claimed, omissions: omissions, unlessAskingMeets: obstacle))
            } catch {
                obstacle = obstacle ?? error
                let isFinal = !error.isRetryable && error.code != .cancelled
                if isFinal, !claimed.mayConflict(by: outcome) { continue }
                results[index] = .failure(error)
            }
        }
        return results
    }

    /// What came of an operation, with the item as a look-up shows it where it seems to lack
    /// something.
    private func completed(
        _ outcome: RemoteOutcome, of claimed: ClaimedOperation, omissions: OmittedMembers,
        unlessAskingMeets obstacle: ReplicationError?
    ) async throws(ReplicationError) -> RemoteOutcome {
        switch outcome {
        case .stored(let answer) where !answer.isDeleted:
            if !omissions.isEmpty { omissions.remove(answer.members.withoutNulls.keys) }
            // Most answers show what was sent, and nothing else.
            if answer.form.hasSameMembers(as: claimed.expected) { return outcome }
            let expected = claimed.expected.value.objectValue ?? [:]
            var whole = answer
            for _ in 0..<SyncTuning.lookUpCountMax {
                let lacking = omissions.unknown(of: whole.namesLacking(of: expected))
                guard !lacking.isEmpty else { return .stored(whole) }
                let found = try await lookUp(claimed, unlessAskingMeets: obstacle)
                if found == .absent { whole.takeAsShown(lacking, of: expected) }
                guard case .found(var item) = found else { return .stored(whole) }
                guard !item.isDeleted, !item.isOutOfScope,
                    item.isSameState(as: answer, of: expected)
                else {
                    whole.take(lacking, of: expected, asLaterIn: item)
                    return .stored(whole)
                }
                item.complete(by: whole)
                whole = item
            }
            omissions.add(whole.namesLacking(of: expected))
            return .stored(whole)
        case .conflict(let shown?) where !shown.isDeleted && !shown.isOutOfScope:
            let sent = claimed.expected.value.objectValue ?? [:]
            var lacking = shown.namesLacking(of: claimed.base?.value.objectValue ?? [:])
            if shown.members.isPart(of: sent) { lacking.formUnion(shown.namesLacking(of: sent)) }
            // What others added to the item may be left out as well, and nothing here tells.
            guard shown.nullMayMeanAbsent || !omissions.unknown(of: lacking).isEmpty,
                case .found(var item) = try await lookUp(claimed, unlessAskingMeets: obstacle)
            else { return outcome }
            if !item.isDeleted, item.version != nil, item.version == shown.version {
                item.complete(by: shown)
            }
            return .conflict(item)
        default: return outcome
        }
    }

    /// The item of an operation as the server has it now.
    private func lookUp(
        _ claimed: ClaimedOperation, unlessAskingMeets obstacle: ReplicationError?
    ) async throws(ReplicationError) -> LookUpOutcome {
        // Where one request failed the others would, too.
        if let obstacle { throw obstacle }
        let outcome = try await lookUp(claimed.operation.id)
        guard case .found(let item) = outcome else { return outcome }
        return .found(item.describingAttachments(claimed.describesAttachments))
    }
}

extension ClaimedOperation {
    /// Whether the item that an answer shows decides whether there is a conflict.
    fileprivate func mayConflict(by outcome: RemoteOutcome) -> Bool {
        if case .conflict = outcome { true } else { operation.isBlindUndeletion }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension RemoteItem {
    fileprivate func namesLacking(of sent: [String: JSONValue]) -> Set<String> {
        members.namesLacking(of: sent, nullMayMeanAbsent: nullMayMeanAbsent)
    }

    /// Whether this is the state of the item that an answer is about, and no later one.
    fileprivate func isSameState(
        as answer: RemoteItem, of sent: [String: JSONValue]
    ) -> Bool {
        answer.version == nil ? members.isPart(of: sent) : version == answer.version
    }

    /// Takes those of the members that were sent which a later state still has: the server stored them.
    fileprivate mutating func take(
        _ names: Set<String>, of sent: [String: JSONValue], asLaterIn item: RemoteItem
    ) {
        for name in names {
            guard let shown = item.members[name],
                sent[name]?.isLoosely(shown, isRounded: true) ?? false
            else { continue }
            members[name] = shown
        }
    }

    /// Takes members that were sent as if the answer had shown them.
    ///
    /// The item went for good between the answer and the look-up. An item of its identifier that comes
    /// later is another one: what it lacks was not left out of this answer.
    fileprivate mutating func takeAsShown(_ names: Set<String>, of sent: [String: JSONValue]) {
        for name in names {
            let shown = members[name].flatMap { $0.isNull ? nil : $0 }
            members[name] = sent[name]?.completing(shown)
        }
    }

    /// Takes what another answer about the same state shows and this one leaves out.
    package mutating func complete(by answer: RemoteItem) {
        for name in namesLacking(of: answer.members) {
            let shown = members[name].flatMap { $0.isNull ? nil : $0 }
            members[name] = answer.members[name]?.completing(shown)
        }
    }
}
