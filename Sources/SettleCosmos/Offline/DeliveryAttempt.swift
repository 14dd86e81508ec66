import SettleDocuments

extension Cosmos {
    /// One queued write on its way to the service.
    struct DeliveryAttempt {
        private let turn: QueueSender.Turn
        private let line: any OperationHandler
        private let sealer: Sealer
        private let conflicts: ConflictRules
        private var write: QueuedWrite { turn.write }

        init(
            _ turn: QueueSender.Turn, _ line: any OperationHandler, _ sealer: Sealer,
            _ conflicts: ConflictRules
        ) {
            self.turn = turn
            self.line = line
            self.sealer = sealer
            self.conflicts = conflicts
        }

        /// Carries the write out.
        ///
        /// - Returns: How it ended for good.
        /// - Throws: ``ClientError`` when it is to be tried again.
        func ending() async throws(ClientError) -> QueueSender.Ending {
            do throws(ClientError) {
                return try await carriedOut()
            } catch {
                if error.keepsQueuedWrite { throw error }
                return .failed(error, try await remotes(error))
            }
        }

        private func carriedOut() async throws(ClientError) -> QueueSender.Ending {
            let operation = try write.operation(sealer)
            if turn.isUncertain, write.isUnconditional, let ending = try await endingBefore() {
                return ending
            }
            do throws(ClientError) {
                let response = try await line.perform(operation)
                if write.kind == .batch { return try await batchEnding(response, operation) }
                if write.kind == .delete { return .deleted }
                guard let body = response.resource else { throw unreadable(operation) }
                return .written(body)
            } catch {
                if error.keepsQueuedWrite { throw error }
                if write.kind == .delete, error.kind == .notFound,
                    turn.isUncertain || write.isUpsert
                {
                    return .deleted
                }
                if turn.isUncertain, let ending = try await earlierEnding(error) { return ending }
                guard error.kind == .preconditionFailed, !write.isStrict, write.kind != .batch
                else { throw error }
                return try await resolved(operation)
            }
        }

        private func unreadable(_ operation: Operation) -> ClientError {
            ClientError(
                .unreadableResponse,
                "The response to the request to \(operation.subject) holds no resource.")
        }

        private func batchEnding(
            _ response: OperationResponse, _ operation: Operation
        ) async throws(ClientError) -> QueueSender.Ending {
            guard case .feed(let elements, _) = response.content else {
                throw unreadable(operation)
            }
            let results = elements.map { BatchResult($0) }
            guard response.status == 200 else {
                let failed = results.first { !$0.isSuccess && !$0.isDependent }
                throw ClientError(failed, to: operation.subject, response.metadata)
            }
            guard results.count == write.steps?.count, results.allSatisfy(\.isSuccess) else {
                throw unreadable(operation)
            }
            do throws(ClientError) {
                return .batch(try await written(results))
            } catch {
                // The batch was carried out, whatever cannot be read now.
                var error = error
                error.followsDoubt = true
                throw error
            }
        }

        /// What a batch has written, step by step; nil for a deletion, and before a later step of the same document.
        private func written(
            _ results: [BatchResult]
        ) async throws(ClientError) -> [ResourceBody?] {
            let (names, own) = (write.names, try write.bodies(sealer))
            var written: [ResourceBody?] = []
            for (index, result) in results.enumerated() {
                guard write.steps?[index].kind != .delete,
                    names.lastIndex(of: names[index]) == index
                else {
                    written.append(nil)
                    continue
                }
                let body = own.indices.contains(index) ? own[index] : nil
                written.append(try await self.written(names[index], result, body))
            }
            return written
        }

        /// What a batch has written of a document, which the service need not have sent along.
        ///
        /// - Parameters:
        ///   - name: The document.
        ///   - result: What the service says.
        ///   - own: What was to be written.
        /// - Returns: The document; nil when somebody has deleted it since.
        /// - Throws: ``ClientError`` when it has to be read, and cannot be.
        func written(
            _ name: ResourceName, _ result: BatchResult, _ own: ResourceBody?
        ) async throws(ClientError) -> ResourceBody? {
            if let body = result.resource { return body }
            switch try await remote(of: name) {
            case .gone: return nil
            case .unknown:
                throw ClientError(
                    .unreadableResponse,
                    "The service has carried out a batch, and does not say what it has of '\(name.link)' now."
                )
            case .found(let remote):
                guard let etag = result.etag, etag != remote.etag, var body = own else {
                    return remote
                }
                // Somebody else has written since. What waits here depends on the version that was written here.
                for member in Cosmos.systemMembers { body[member] = remote[member] }
                body["_etag"] = .string(etag)
                return body
            }
        }

        /// How an earlier attempt ended whose response was lost; nil when the service has something else.
        private func earlierEnding(
            _ error: ClientError
        ) async throws(ClientError) -> QueueSender.Ending? {
            switch (write.kind, error.kind) {
            case (.create, .conflict), (.replace, .preconditionFailed), (.batch, _):
                return try await endingBefore()
            default: return nil
            }
        }

        /// How the write ended if it was carried out already; nil when the service has something else.
        private func endingBefore() async throws(ClientError) -> QueueSender.Ending? {
            switch write.kind {
            case .create, .replace:
                guard let name = write.name,
                    case .found(let remote) = try await remote(of: name),
                    try await isOurs(remote)
                else { return nil }
                return .written(remote)
            case .delete: return nil
            case .batch:
                // Of several writes of one document the last is what the service has.
                var last: [ResourceName: ResourceBody?] = [:]
                for (name, body) in zip(write.names, try write.bodies(sealer)) { last[name] = body }
                var found: [ResourceName: ResourceBody] = [:]
                for (name, body) in last {
                    switch (try await remote(of: name), body) {
                    case (.found(let remote), let body?) where remote.hasSameContent(as: body):
                        found[name] = remote
                    case (.gone, nil): continue
                    default: return nil
                    }
                }
                return .batch(write.names.map { found[$0] })
            }
        }

        /// Whether the service has what was to be written.
        private func isOurs(_ remote: ResourceBody) async throws(ClientError) -> Bool {
            if let body = try write.body(sealer) { return remote.hasSameContent(as: body) }
            guard case .media(let bytes, let type) = try write.operation(sealer).body,
                let link = write.name?.link, remote["contentType"]?.stringValue == type,
                let media = Attachment(body: remote).mediaId
            else { return false }
            var operation = Operation(.readMedia, .attachment, at: link)
            operation.newId = media
            operation.partition = write.partitionKey
            return try await line.perform(operation).content == .bytes(bytes)
        }

        /// Resolves a conflict by the strategy of the type, as a write online would.
        private func resolved(_ operation: Operation) async throws(ClientError)
            -> QueueSender.Ending
        {
            var operation = operation
            if operation.action == .upsert {
                operation.action = .replace
                operation.link = write.name?.link
            }
            let resolution = ConditionalWrite(
                operation: operation, local: try write.body(sealer), etag: write.etag,
                strategy: conflicts.strategy(
                    for: write.resourceType, readAs: write.kind == .delete ? nil : write.contentName
                ), isQueued: true)
            let response = try await resolution.perform(by: line)
            return response.resource.map { .written($0) } ?? .deleted
        }

        /// What the service has of a resource.
        private func remote(of name: ResourceName) async throws(ClientError) -> QueueSender.Remote {
            var read = Operation(.get, name.link.type, at: name.link)
            read.partition = write.partitionKey
            do throws(ClientError) {
                guard let body = try await line.perform(read).resource else { return .unknown }
                return .found(body)
            } catch {
                if error.kind == .notFound, error.subStatus != 1002 { return .gone }
                if error.keepsQueuedWrite { throw error }
                return .unknown
            }
        }

        /// What the service has of all that the write concerns, after it was refused.
        private func remotes(
            _ error: ClientError
        ) async throws(ClientError) -> [ResourceName: QueueSender.Remote] {
            if let remote = error.remote, let name = write.name { return [name: .found(remote)] }
            var remotes: [ResourceName: QueueSender.Remote] = [:]
            for name in Set(write.names) { remotes[name] = try await remote(of: name) }
            return remotes
        }
    }
}
