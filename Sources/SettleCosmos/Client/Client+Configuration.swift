public import Foundation

extension Cosmos.Client {
    /// Configures the client with the key of an account of the public cloud.
    ///
    /// - Parameters:
    ///   - name: The name of the account.
    ///   - key: Its key in Base64.
    ///   - mode: With `read`, no write is sent.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when name or key cannot be one.
    public func configure(
        forAccountNamed name: String, withMasterKey key: String,
        withPermissionMode mode: Cosmos.PermissionMode
    ) throws(Cosmos.ClientError) {
        configure(
            for: try Cosmos.Account(named: name),
            with: .masterKey(try Cosmos.MasterKey(key), mode: mode))
    }

    /// Configures the client with the key of an account elsewhere.
    ///
    /// - Parameters:
    ///   - url: The address of the account.
    ///   - key: Its key in Base64.
    ///   - mode: With `read`, no write is sent.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when address or key cannot be one.
    public func configure(
        forAccountAt url: URL, withMasterKey key: String,
        withPermissionMode mode: Cosmos.PermissionMode
    ) throws(Cosmos.ClientError) {
        configure(
            for: try Cosmos.Account(at: url),
            with: .masterKey(try Cosmos.MasterKey(key), mode: mode))
    }

    /// Configures the client with permissions of an account of the public cloud.
    ///
    /// - Parameters:
    ///   - name: The name of the account.
    ///   - provider: Gives the permissions.
    ///   - store: Keeps their tokens.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when the name cannot be one.
    public func configure(
        forAccountNamed name: String,
        withPermissionProvider provider: any Cosmos.PermissionProvider,
        keepingTokensIn store: any Cosmos.TokenStore = Cosmos.MemoryTokenStore()
    ) throws(Cosmos.ClientError) {
        configure(for: try Cosmos.Account(named: name), with: .permissions(provider, store: store))
    }

    /// Configures the client with permissions of an account elsewhere.
    ///
    /// - Parameters:
    ///   - url: The address of the account.
    ///   - provider: Gives the permissions.
    ///   - store: Keeps their tokens.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when the address cannot be one.
    public func configure(
        forAccountAt url: URL, withPermissionProvider provider: any Cosmos.PermissionProvider,
        keepingTokensIn store: any Cosmos.TokenStore = Cosmos.MemoryTokenStore()
    ) throws(Cosmos.ClientError) {
        configure(for: try Cosmos.Account(at: url), with: .permissions(provider, store: store))
    }

    /// Configures the client by a property list of the app.
    ///
    /// - Parameters:
    ///   - name: The name of the list, with or without `.plist`.
    ///   - mode: With `read`, no write is sent.
    ///   - bundle: Where the list is.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when there is no such list, and as
    ///   ``configure(withPlistAt:withPermissionMode:)``.
    public func configure(
        withPlistNamed name: String, withPermissionMode mode: Cosmos.PermissionMode,
        in bundle: Bundle = .main
    ) throws(Cosmos.ClientError) {
        let base = name.hasSuffix(".plist") ? String(name.dropLast(6)) : name
        guard let url = bundle.url(forResource: base, withExtension: "plist") else {
            throw Cosmos.ClientError(
                .configureError,
                "The app has no property list '\(base).plist' to configure the client by.")
        }
        try configure(withPlistAt: url, withPermissionMode: mode)
    }

    /// Configures the client by a property list.
    ///
    /// It has a dictionary with `CosmosAccountName` or `CosmosAccountURL`, and `CosmosMasterKey`; AzureData's
    /// `ADDatabaseAccountName`, `ADDatabaseAccountUrl` and `ADDatabaseAccountKey` are read as well.
    ///
    /// - Parameters:
    ///   - url: Where the list is.
    ///   - mode: With `read`, no write is sent.
    /// - Throws: ``Cosmos/ClientError`` with `configureError` when it cannot be read, or names no account or no key.
    public func configure(
        withPlistAt url: URL, withPermissionMode mode: Cosmos.PermissionMode
    ) throws(Cosmos.ClientError) {
        let entries: AccountEntries
        do {
            entries = try PropertyListDecoder().decode(
                AccountEntries.self, from: Data(contentsOf: url))
        } catch {
            throw Cosmos.ClientError(
                .configureError,
                "The property list '\(url.lastPathComponent)' cannot be read.", cause: error)
        }
        guard let key = entries.key else {
            throw Cosmos.ClientError(
                .configureError,
                "The property list '\(url.lastPathComponent)' has no CosmosMasterKey.")
        }
        if let text = entries.address,
            let address = URL(string: text)
        {
            return try configure(
                forAccountAt: address, withMasterKey: key, withPermissionMode: mode)
        }
        guard let name = entries.name else {
            throw Cosmos.ClientError(
                .configureError,
                "The property list '\(url.lastPathComponent)' has neither CosmosAccountName nor "
                    + "CosmosAccountURL.")
        }
        try configure(forAccountNamed: name, withMasterKey: key, withPermissionMode: mode)
    }
}

/// What a property list says of an account.
private struct AccountEntries: Decodable {
    private var masterKey: String?
    private var accountURL: String?
    private var accountName: String?
    private var azureDataKey: String?
    private var azureDataURL: String?
    private var azureDataName: String?

    private enum CodingKeys: String, CodingKey {
        case masterKey = "CosmosMasterKey"
        case accountURL = "CosmosAccountURL"
        case accountName = "CosmosAccountName"
        case azureDataKey = "ADDatabaseAccountKey"
        case azureDataURL = "ADDatabaseAccountUrl"
        case azureDataName = "ADDatabaseAccountName"
    }

    var key: String? { Self.first(masterKey, azureDataKey) }
    var address: String? { Self.first(accountURL, azureDataURL) }
    var name: String? { Self.first(accountName, azureDataName) }

    private static func first(_ entries: String?...) -> String? {
        entries.lazy.compactMap(\.self).first { !$0.isEmpty }
    }
}
