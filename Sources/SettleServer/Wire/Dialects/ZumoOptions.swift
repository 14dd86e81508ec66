import HTTPTypes

/// The header `X-ZUMO-Options` of version 3.
///
/// Shape: `NAME:VALUE` or `NAME=VALUE`, several with commas between; what is not known is overlooked.
struct ZumoOptions: Sendable, Equatable {
    /// `include:deleted`.
    var includesDeleted = false
    /// `nextLink=path`: next links without scheme and host.
    var wantsPathLinks = false

    /// Reads the header of a request.
    init(_ headers: HTTPFields) {
        for value in headers[values: .zumoOptions] {
            for option in value.split(separator: ",") {
                let text = option.lowercased().filter { $0 != " " && $0 != "\t" }
                switch text {
                case "include:deleted", "include=deleted": includesDeleted = true
                case "nextlink=path", "nextlink:path": wantsPathLinks = true
                default: break
                }
            }
        }
    }
}
