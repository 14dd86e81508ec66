import HTTPTypes

extension HTTPField.Name {
    /// `ZUMO-API-VERSION`: the generation of the table protocol.
    static let zumoVersion = HTTPField.Name("ZUMO-API-VERSION")!
    /// `X-ZUMO-AUTH`: the token, as the old clients send it.
    static let zumoAuth = HTTPField.Name("X-ZUMO-AUTH")!
    /// `X-ZUMO-Options`: what a client of version 3 would like.
    static let zumoOptions = HTTPField.Name("X-ZUMO-Options")!
    /// `x-zumo-server-version`: which server this is.
    static let zumoServerVersion = HTTPField.Name("x-zumo-server-version")!
    /// `Settle-Features`: what this server can do beyond the protocol.
    static let settleFeatures = HTTPField.Name("Settle-Features")!
    /// `Prefer` (RFC 7240): what the sender would like.
    static let prefer = HTTPField.Name("Prefer")!
    /// `Preference-Applied` (RFC 7240): which of it was done.
    static let preferenceApplied = HTTPField.Name("Preference-Applied")!
    /// `Link`: where the next page is.
    static let link = HTTPField.Name("Link")!
}
