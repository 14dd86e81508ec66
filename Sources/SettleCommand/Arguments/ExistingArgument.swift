import ArgumentParser
import Settle

/// What an import does with documents that are there, as it is written on the command line.
enum ExistingArgument: String, CaseIterable, ExpressibleByArgument {
    case keep, replace, fail

    /// The library's word for it.
    var existing: ExistingDocuments {
        switch self {
        case .keep: .keep
        case .replace: .replace
        case .fail: .fail
        }
    }
}
