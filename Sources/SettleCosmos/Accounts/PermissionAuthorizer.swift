import Foundation
import SettleTableProtocol

extension Cosmos {
    /// Hands in the tokens of permissions, which it asks a provider for and keeps.
    actor PermissionAuthorizer: Authorizer {
        /// One token and what it covers.
        struct Entry: Codable, Sendable, Hashable {
            /// The text of the link that it covers with all below.
            var link: String
            var mode: String
            var token: String
            var expires: Date
        }

        private struct Question: Hashable {
            var link: Link
            var mode: PermissionMode
        }

        private let provider: any PermissionProvider
        private let account: String
        private let store: any TokenStore
        private let now: @Sendable () -> Date
        private var entries: [Entry]?
        private var asking: [Question: Task<Entry, any Swift.Error>] = [:]

        init(
            _ provider: any PermissionProvider, account: String, store: any TokenStore,
            now: @escaping @Sendable () -> Date
        ) {
            self.provider = provider
            self.account = account
            self.store = store
            self.now = now
        }

        func authorization(for request: SignedRequest) async throws(ClientError) -> String {
            let link = try Self.protectedLink(of: request)
            let configuration = provider.configuration
            let mode =
                request.mode.includes(configuration.defaultPermissionMode)
                ? request.mode : configuration.defaultPermissionMode
            await restore()
            let kept = entry(covering: link, request.mode)
            if let kept,
                kept.expires.timeIntervalSince(now()) >= configuration.tokenRefreshThreshold
            {
                return Self.header(kept)
            }
            do {
                return Self.header(try await ask(for: asked(link), mode))
            } catch {
                // The old one is valid still.
                if let kept, kept.expires > now() { return Self.header(kept) }
                throw Self.failure(error, link)
            }
        }

        func authorization(
            for request: SignedRequest, replacing refused: String
        ) async throws(ClientError) -> String? {
            let count = entries?.count
            entries?.removeAll { Self.header($0) == refused }
            if entries?.count != count { await save() }
            let fresh = try await authorization(for: request)
            return fresh == refused ? nil : fresh
        }

        /// What a permission must cover for a request.
        private static func protectedLink(
            of request: SignedRequest
        ) throws(ClientError) -> Link {
            guard let link = request.link, let collection = link.nearest(.collection),
                !(link == collection && request.type == .collection && request.mode == .all)
            else {
                throw ClientError(
                    .permissionError,
                    "Nothing was sent: permissions give access to what is in a collection, and this concerns "
                        + "\(request.link.map { "'\($0)'" } ?? "the account"). It takes the key of the account."
                )
            }
            // There are no permissions for ranges, nor for a list of anything.
            return link.type == .partitionKeyRange ? collection : link
        }

        /// The link that the provider is asked for, when a request concerns one.
        private func asked(_ link: Link) -> Link {
            guard let type = provider.configuration.defaultResourceType else { return link }
            return link.nearest(type) ?? link
        }

        private func entry(covering link: Link, _ mode: PermissionMode) -> Entry? {
            let covering = Set((link.ancestors + [link]).map(\.text))
            return entries?.filter {
                covering.contains($0.link) && $0.expires > now()
                    && (PermissionMode(text: $0.mode)?.includes(mode) ?? false)
            }.max { $0.expires < $1.expires }
        }

        private func ask(for link: Link, _ mode: PermissionMode) async throws -> Entry {
            guard !link.isByResourceIds else {
                throw ClientError(
                    .permissionError,
                    "A provider of permissions is asked by ids, and only the service's identifiers are known "
                        + "here. Name the resource by its ids.")
            }
            let question = Question(link: link, mode: mode)
            if let task = asking[question] { return try await task.value }
            let task = Task { [provider] in
                let permission = try await provider.permission(for: link, mode)
                return try entry(permission, for: link, mode)
            }
            asking[question] = task
            defer { asking[question] = nil }
            let fresh = try await task.value
            entries?.removeAll {
                $0.expires <= now() || ($0.link == fresh.link && $0.mode == fresh.mode)
            }
            entries?.append(fresh)
            await save()
            return fresh
        }

        private func entry(
            _ permission: Permission, for link: Link, _ mode: PermissionMode
        ) throws(ClientError) -> Entry {
            guard let token = permission.token, !token.isEmpty else {
                throw ClientError(.permissionError, "The permission of the provider has no token.")
            }
            guard let given = permission.permissionMode, given.includes(mode) else {
                throw ClientError(
                    .permissionError,
                    "The provider gave a permission to read, and one to write was asked for.")
            }
            // By the ids, it says what else it covers. By the service's identifiers, it is taken for what was
            // asked for.
            let covered = permission.resource.flatMap { Link($0, isByResourceIds: false) }
            let isWider = covered.map { link.isWithin($0) } ?? false
            return Entry(
                link: (isWider ? covered ?? link : link).text, mode: given.rawValue, token: token,
                expires: now().addingTimeInterval(provider.configuration.defaultTokenDuration))
        }

        private func restore() async {
            guard entries == nil else { return }
            let saved = try? await store.tokens(forAccount: account)
            // Another request may have done it meanwhile.
            guard entries == nil else { return }
            entries = saved.flatMap { try? JSONDecoder().decode([Entry].self, from: $0) } ?? []
        }

        private func save() async {
            guard let data = try? JSONEncoder().encode(entries ?? []) else { return }
            try? await store.save(data, forAccount: account)
        }

        private static func header(_ entry: Entry) -> String {
            PercentEncoding.encoded(entry.token)
        }

        private static func failure(_ error: any Swift.Error, _ link: Link) -> ClientError {
            if let error = error as? ClientError { return error }
            if error is CancellationError { return .cancelledTask }
            return ClientError(
                .permissionError, "The provider gave no permission for '\(link)'.", cause: error)
        }
    }
}
