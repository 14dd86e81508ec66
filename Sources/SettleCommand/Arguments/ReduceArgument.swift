import ArgumentParser
import Settle

/// How `--reduce` makes one value of many.
enum ReduceArgument: String, CaseIterable, ExpressibleByArgument {
    case sum, count, stats, min, max

    /// The database's own function.
    var function: Database.BuiltInReduce {
        switch self {
        case .sum: .sum
        case .count: .count
        case .stats: .stats
        case .min: .min
        case .max: .max
        }
    }
}
