import ArgumentParser
import Settle

/// How an index orders strings, as it is written on the command line.
enum CollationArgument: String, CaseIterable, ExpressibleByArgument {
    case unicode, raw

    /// The database's word for it.
    var collation: Database.IndexCollation {
        switch self {
        case .unicode: .unicode
        case .raw: .raw
        }
    }
}
