/// The fields of a query or of a form.
struct FormValues: Sendable {
    private var values: [String: String] = [:]

    /// No fields.
    init() {}

    /// Fields by their names.
    init(_ values: [String: String]) { self.values = values }

    /// The fields of a text such as `a=1&b=2`; nil when it is none.
    ///
    /// Of a name that comes twice the first counts.
    init?(parsing text: some StringProtocol) {
        for pair in text.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Percent.decoded(parts[0], plusIsSpace: true),
                let value = Percent.decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            if values[name] == nil { values[name] = value }
        }
    }

    /// The value of a field; nil when it is not there.
    subscript(name: String) -> String? { values[name] }

    /// The value of a field that was filled in; nil when it is empty or not there.
    func filled(_ name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A whole number in a field; nil when it is empty, not there or something else.
    func integer(_ name: String) -> Int? { filled(name).flatMap { Int($0) } }
}
