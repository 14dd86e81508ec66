import ArgumentParser
import SettleServer

/// A version of the table protocol on the command line.
enum VersionArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    case version2 = "2"
    case version3 = "3"

    /// The version.
    var version: ProtocolVersion {
        switch self {
        case .version2: .version2
        case .version3: .version3
        }
    }
}
