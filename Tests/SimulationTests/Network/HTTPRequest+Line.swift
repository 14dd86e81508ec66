import Foundation
import HTTPTypes

extension HTTPRequest {
    /// The request as the journal shows it.
    var line: String {
        let path = path?.removingPercentEncoding ?? path ?? ""
        let match = headerFields[.ifMatch].map { " If-Match \($0)" } ?? ""
        return "\(method.rawValue) \(path)\(match)"
    }
}
