import HTTPTypes
import SettleTableProtocol

/// The headers of the table protocol that requests and responses have.
extension HTTPField.Name {
    static let serverVersion = known(TableHeader.serverVersion.rawValue)
    static let zumoVersion = known(TableParameter.version.rawValue)
    static let zumoAuth = known(TokenHeader.zumo)
    static let prefer = known(TableParameter.prefer.rawValue)
    static let settleFeatures = known(TableHeader.features.rawValue)
    static let retryAfterField = known(TableHeader.retryAfter.rawValue)

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' is a name that a header may have.")
        }
        return name
    }
}
