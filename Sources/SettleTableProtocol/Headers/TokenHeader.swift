/// Where a token travels, beside `Authorization`.
package enum TokenHeader {
    /// As the clients of Azure Mobile Services send it.
    package static let zumo = "X-ZUMO-AUTH"
}
