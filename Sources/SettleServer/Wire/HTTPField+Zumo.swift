import HTTPTypes
import SettleTableProtocol

extension HTTPField.Name {
    /// `ZUMO-API-VERSION`: the generation of the table protocol.
    static let zumoVersion = HTTPField.Name(.version)
    /// `X-ZUMO-AUTH`: the token, as the old clients send it.
    static let zumoAuth = HTTPField.Name(TokenHeader.zumo)!
    /// `X-ZUMO-Options`: what a client of version 3 would like.
    static let zumoOptions = HTTPField.Name(.options)
    /// `x-zumo-server-version`: which server this is.
    static let zumoServerVersion = HTTPField.Name(.serverVersion)
    /// `Settle-Features`: what this server can do beyond the protocol.
    static let settleFeatures = HTTPField.Name(.features)
    /// `Prefer` (RFC 7240): what the sender would like.
    static let prefer = HTTPField.Name(.prefer)
    /// `Preference-Applied` (RFC 7240): which of it was done.
    static let preferenceApplied = HTTPField.Name(.preferenceApplied)
    /// `Link`: where the next page is.
    static let link = HTTPField.Name(.link)

    private init(_ parameter: TableParameter) {
        precondition(parameter.isHeader, "'\(parameter.rawValue)' stands in the query.")
        self = HTTPField.Name(parameter.rawValue)!
    }

    private init(_ header: TableHeader) {
        self = HTTPField.Name(header.rawValue)!
    }
}
