/// The fields of a query or of a form.
struct FormValues: Sendable {
    private var values: [String: String] = [:]

    /// No fields.
    init() {}

    /// Fields by their names; nil when one that is encoded twice cannot be read.
    init?(_ fields: [String: String]) {
        for (name, value) in fields { guard add(name, value) else { return nil } }
    }

    /// The fields of a text such as `a=1&b=2`; nil when it is none.
    ///
    /// Of a name that comes twice the first counts.
    init?(parsing text: some StringProtocol) {
        for pair in text.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Percent.decoded(parts[0], plusIsSpace: true),
                let value = Percent.decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            guard add(name, value) else { return nil }
        }
    }

    private mutating func add(_ name: String, _ value: String) -> Bool {
        var (name, value) = (name, value)
        if name.utf8.last == Self.mark {
            guard let decoded = Percent.decoded(value) else { return false }
            name = String(decoding: name.utf8.dropLast(), as: UTF8.self)
            value = decoded
        }
        if values[name] == nil { values[name] = value }
        return true
    }

    /// Behind the name of a field whose value is percent-encoded once more than a browser does it.
    private static let mark = UInt8(ascii: "*")

    /// How a field that is not shown stands in a page, so that its value comes back as it is.
    ///
    /// Browsers send every end of a line as a carriage return and a line feed, and know no zeros; an identifier may have
    /// either.
    static func hidden(_ name: String, _ value: String) -> (name: String, value: String) {
        guard value.utf8.contains(where: { $0 < 0x20 }) else { return (name, value) }
        return (name + String(UnicodeScalar(mark)), Percent.encoded(value))
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
