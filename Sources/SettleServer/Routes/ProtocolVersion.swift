import HTTPTypes

/// The version of the table protocol that a request must name.
enum ProtocolVersion {
    /// Checks that a request is for version 2.0.
    ///
    /// The header counts before the parameter; both names may be in any case.
    ///
    /// - Throws: ``Refusal`` 400 when there is no version or another one.
    static func check(headers: HTTPFields, query: RequestQuery) throws(Refusal) {
        var version = headers[.zumoVersion]
        if version == nil { version = try query.value("ZUMO-API-VERSION") }
        guard let version, isSupported(version) else {
            throw Refusal(
                .badRequest,
                "This server speaks version 2.0.0 of the table protocol; send the header "
                    + "ZUMO-API-VERSION: 2.0.0.")
        }
    }

    /// `2.0.` and a number.
    private static func isSupported(_ version: String) -> Bool {
        let version = version.trimmingSpaces
        let patch = version.utf8.dropFirst(4)
        return version.hasPrefix("2.0.") && !patch.isEmpty
            && patch.allSatisfy { (0x30...0x39).contains($0) }
    }
}
