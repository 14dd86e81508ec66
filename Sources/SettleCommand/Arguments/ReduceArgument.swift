import ArgumentParser
import Settle

/// How `--reduce` makes one value of many.
enum ReduceArgument: String, CaseIterable, ExpressibleByArgument {
    case sum, count, stats, min, max
    case approxCountDistinct = "approx_count_distinct"

    /// The argument for a function of the database.
    init(_ function: Database.BuiltInReduce) {
        switch function {
        case .sum: self = .sum
        case .count: self = .count
        case .stats: self = .stats
        case .min: self = .min
        case .max: self = .max
        case .approxCountDistinct: self = .approxCountDistinct
        }
    }

    /// The database's own function.
    var function: Database.BuiltInReduce {
        switch self {
        case .sum: .sum
        case .count: .count
        case .stats: .stats
        case .min: .min
        case .max: .max
        case .approxCountDistinct: .approxCountDistinct
        }
    }

    /// Whether its results are whole numbers that people read with a comma between thousands.
    var isCounting: Bool { self == .sum || self == .count || self == .approxCountDistinct }
}
