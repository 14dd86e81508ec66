import HTTPTypes
import SettleTableProtocol

/// The parameters of a request's query, in their order.
struct RequestQuery: Sendable, Equatable {
    /// One parameter, decoded, and as it came.
    struct Parameter: Sendable, Equatable {
        let name: String
        /// The name in lower case, by which it is found.
        let key: String
        let value: String

        init(name: String, value: String) {
            self.name = name
            key = name.lowercased()
            self.value = value
        }

        /// A parameter of the protocol.
        init(_ parameter: TableParameter, value: String) {
            self.init(name: parameter.rawValue, value: value)
        }
    }

    var parameters: [Parameter]

    /// Reads the text between `?` and `#`.
    ///
    /// - Throws: ``Problem`` 400 when it is not percent-encoded UTF-8.
    init(_ text: String?) throws(Problem) {
        parameters = []
        for pair in (text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let name = PercentEncoding.decoded(Substring(halves[0]), plusIsSpace: true),
                let value = PercentEncoding.decoded(
                    halves.count == 2 ? Substring(halves[1]) : "", plusIsSpace: true)
            else {
                throw Problem(.badRequest, "The query of the URL is not percent-encoded UTF-8.")
            }
            parameters.append(Parameter(name: name, value: value))
        }
    }

    /// The value of a parameter whose name may be in any case.
    ///
    /// - Throws: ``Problem`` 400 when it is there more than once.
    func value(_ name: String) throws(Problem) -> String? {
        let name = name.lowercased()
        var found: String?
        for parameter in parameters where parameter.key == name {
            guard found == nil else {
                throw Problem(.badRequest, "The parameter '\(name)' is given more than once.")
            }
            found = parameter.value
        }
        return found
    }

    /// The value of a parameter of the protocol.
    ///
    /// - Throws: As ``value(_:)-(String)``.
    func value(_ parameter: TableParameter) throws(Problem) -> String? {
        try value(parameter.rawValue)
    }

    /// The query as text, with some parameters replaced.
    ///
    /// - Parameters:
    ///   - names: Parameters to leave out, in lower case.
    ///   - parameter: A parameter to put at the end.
    /// - Returns: The text, percent-encoded.
    func text(without names: Set<String>, adding parameter: Parameter) -> String {
        (parameters.filter { !names.contains($0.key) } + [parameter])
            .map { Self.encodedName($0.name) + "=" + PercentEncoding.encoded($0.value) }
            .joined(separator: "&")
    }

    /// `$` may stand in a query as it is, and is easier to read so.
    private static func encodedName(_ name: String) -> String {
        name.hasPrefix("$")
            ? "$" + PercentEncoding.encoded(String(name.dropFirst()))
            : PercentEncoding.encoded(name)
    }
}
