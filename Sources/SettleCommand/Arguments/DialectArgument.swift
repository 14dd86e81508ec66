import ArgumentParser
import SettleREST

/// Which generation of the table protocol a server speaks.
enum DialectArgument: String, CaseIterable, ExpressibleByArgument {
    case v1, v2, v3

    /// What the back-end calls it.
    var dialect: AzureTablesBackend.Dialect {
        switch self {
        case .v1: .v1
        case .v2: .v2
        case .v3: .v3
        }
    }
}
