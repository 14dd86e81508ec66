#if canImport(Security)
    public import Foundation
    import Security

    extension Cosmos {
        /// Keeps tokens in the keychain of the device, readable while it is unlocked, and not on another one.
        ///
        /// Not compiled where the project is built and tested, on Linux.
        public struct KeychainTokenStore: TokenStore {
            private let service: String

            /// A store.
            ///
            /// - Parameter service: The name that the items of the keychain have.
            public init(service: String = "settle.cosmos.tokens") { self.service = service }

            /// What was saved for an account.
            ///
            /// - Throws: ``ClientError`` with `internalError` when the keychain refuses.
            public func tokens(forAccount account: String) throws -> Data? {
                var query = item(account)
                query[kSecReturnData] = true
                query[kSecMatchLimit] = kSecMatchLimitOne
                var found: CFTypeRef?
                let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
                if status == errSecItemNotFound { return nil }
                try Self.check(status)
                return found as? Data
            }

            /// Saves in place of what was saved.
            ///
            /// - Throws: ``ClientError`` with `internalError` when the keychain refuses.
            public func save(_ tokens: Data?, forAccount account: String) throws {
                let query = item(account)
                let status = SecItemDelete(query as CFDictionary)
                if status != errSecItemNotFound { try Self.check(status) }
                guard let tokens else { return }
                var added = query
                added[kSecValueData] = tokens
                added[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                try Self.check(unsafe SecItemAdd(added as CFDictionary, nil))
            }

            private func item(_ account: String) -> [CFString: Any] {
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                    kSecAttrAccount: account,
                ]
            }

            private static func check(_ status: OSStatus) throws(ClientError) {
                guard status != errSecSuccess else { return }
                throw ClientError(
                    .internalError, "The keychain refused to keep or give tokens (\(status)).")
            }
        }
    }
#endif
