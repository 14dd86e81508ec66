import HTTPTypes
import Settle

@testable import SettleServer
import SettleTableProtocol

/// What the server's own description says that it answers.
///
/// The test client asks it about every exchange of every suite, so that an answer that is not in the
/// description shows wherever it turns up.
enum DocumentedResponses {
    private static let paths = OpenAPIDescription.json["paths"]?.objectValue ?? [:]

    /// Why an answer is none that the description has; nil when it is one.
    static func fault(
        _ method: HTTPRequest.Method, _ uri: String, _ reply: Reply
    ) -> String? {
        // A client that sends a fragment leaves it to the server what that means.
        guard !uri.contains("#") else { return nil }
        let path = String(uri.prefix { $0 != "?" })
        guard let (template, values) = template(of: path) else {
            return [400, 404].contains(reply.status) ? nil : "nothing is described at this path"
        }
        let operations = paths[template]
        guard let operation = operations?[method.rawValue.lowercased()] else {
            let isRefused =
                reply.status == 405 && reply.headers[.allow] != nil || reply.status == 400
            return isRefused ? nil : "\(template) has no such method"
        }
        // Names and ids that break their rules are refused before it is known where they lead.
        if reply.status == 400, values.contains(where: { $0 == nil }) { return nil }
        guard let answer = operation["responses"]?[String(reply.status)] else {
            return "\(template) does not have the status \(reply.status)"
        }
        return typeFault(answer, reply).map { "\(template): \($0)" }
    }

    private static func typeFault(_ answer: JSONValue, _ reply: Reply) -> String? {
        guard !reply.bytes.isEmpty else { return nil }
        let types = answer["content"]?.objectValue?.keys.sorted() ?? []
        let type = reply.headers[.contentType].map { String($0.prefix { $0 != ";" }) } ?? "none"
        guard types.contains("*/*") || types.contains(type) else {
            return "the type is \(type), and not one of \(types)"
        }
        return nil
    }

    /// The template that a path is made by, and the values of its parameters, nil for one that cannot
    /// be decoded.
    private static func template(of path: String) -> (String, [String?])? {
        // The first part says what is decoded at all, so it is not.
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .enumerated().map { $0 == 0 ? String($1) : PercentEncoding.decoded($1) }
        if parts.count == 3, parts.last == "" { parts.removeLast() }
        // The more fixed names, the better it fits.
        return paths.keys.map { template -> (String, [Substring]) in
            (template, template.dropFirst().split(separator: "/"))
        }
        .filter { _, segments in
            segments.count == parts.count
                && zip(segments, parts).allSatisfy { $0.hasPrefix("{") || $1 == String($0) }
        }
        .min { left, right in
            let counts = [left.1, right.1].map { $0.count { $0.hasPrefix("{") } }
            return counts[0] < counts[1]
        }
        .map { template, segments in
            (template, zip(segments, parts).compactMap { $0.hasPrefix("{") ? .some($1) : nil })
        }
    }
}
