import SettleTableProtocol

/// A name and a value in a URL's query, not yet encoded.
struct QueryParameter: Sendable, Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A parameter of the protocol.
    init(_ parameter: TableParameter, _ value: String) {
        self.init(parameter.rawValue, value)
    }

    /// As it stands in a URL.
    var text: String {
        "\(PercentEncoding.queryValue(name))=\(PercentEncoding.queryValue(value))"
    }
}
