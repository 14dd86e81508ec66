import Foundation
import SettleServer

/// What a server that the tool starts is like: the settings of all places together.
struct ServeSettings: Sendable {
    let configuration: ServerConfiguration
    /// Where the tables are kept, without a password.
    let storeShown: String
    /// The folder that the tables are kept in; nil where they lie in PostgreSQL.
    let directory: URL?
    let isVerbose: Bool
    let logFormat: LogFormatArgument
    private let isAnonymous: Bool

    /// Puts the settings together.
    ///
    /// - Throws: `SettingFault` for a bad value, and for some that do not go together; `ServerError` for files
    ///   of secrets or rules that cannot be used.
    init(_ reader: SettingsReader) async throws {
        let store = try await Self.store(reader)
        configuration = try await ServerConfiguration(reader, store: store.store)
        storeShown = store.shown
        directory = store.folder
        isVerbose = try await reader.flag(.verbose) ?? false
        logFormat =
            try await reader.text(.logFormat).flatMap(LogFormatArgument.init(rawValue:)) ?? .text
        isAnonymous = try await reader.flag(.anonymous) ?? false
    }

    private static func store(_ reader: SettingsReader) async throws(SettingFault) -> StoreArgument
    {
        guard let (setting, place) = try await reader.choice(.directory, .postgres) else {
            throw reader.combination(
                [.directory, .postgres],
                "Say where the tables are kept: in a folder (\(reader.name(.directory))) or in "
                    + "PostgreSQL (\(reader.name(.postgres))).")
        }
        // A folder may not look like a database's address, nor the other way round.
        guard StoreArgument.isDatabase(place) == (setting == .postgres),
            let store = StoreArgument(argument: place)
        else {
            throw reader.combination(
                [setting],
                setting == .postgres
                    ? "\(reader.name(setting)) needs an address such as "
                        + "postgres://settle@db.example.com/settle."
                    : "\(reader.name(setting)) needs the name of a folder, and got an address.")
        }
        return store
    }

    /// What the one who started the server should know.
    var summary: String {
        switch (isAnonymous, configuration.rules) {
        case (true, nil): "Everybody may read and write."
        case (true, _?): "The rules say what is whose, also without a token."
        case (false, nil): "Clients need a token."
        case (false, _?): "Clients need a token, and the rules say what is whose."
        }
    }
}
