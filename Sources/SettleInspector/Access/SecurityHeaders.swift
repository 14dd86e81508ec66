import HTTPTypes

/// What every response says about what a browser may do with it.
enum SecurityHeaders {
    /// For pages: nothing is loaded from elsewhere, nothing in a page is a script, no page of elsewhere has it in a frame.
    private static let policy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'",
        "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Adds them, where the response has not said something stricter.
    static func add(to headers: inout HTTPFields) {
        if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = policy }
        headers[.xContentTypeOptions] = "nosniff"
        // Without a referrer a browser would not name the origin of a form either.
        headers[.referrerPolicy] = "same-origin"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.crossOriginResourcePolicy] = "same-origin"
        headers[.frameOptions] = "DENY"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
}
