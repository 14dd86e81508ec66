import HTTPTypes

extension HTTPField.Name {
    /// `ZUMO-API-VERSION`: the generation of the table protocol.
    static let zumoVersion = HTTPField.Name("ZUMO-API-VERSION")!
    /// `X-ZUMO-AUTH`: the token, as the old clients send it.
    static let zumoAuth = HTTPField.Name("X-ZUMO-AUTH")!
    /// `Link`: where the next page is.
    static let link = HTTPField.Name("Link")!
}
