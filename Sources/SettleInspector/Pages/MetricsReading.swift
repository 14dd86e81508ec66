/// A line of what a server has counted.
struct MetricsSample: Sendable, Equatable {
    let name: String
    let labels: [String: String]
    let value: Double

    /// The samples of a report in the text format of Prometheus; lines that are none are passed over.
    static func samples(in report: String) -> [MetricsSample] {
        report.split(separator: "\n").compactMap(MetricsSample.init)
    }

    private init?(_ line: Substring) {
        guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return nil }
        var name = line[..<space]
        var labels: [String: String] = [:]
        if let brace = name.firstIndex(of: "{"), name.hasSuffix("}") {
            // No value of ours has a comma or a quotation mark in it.
            for pair in name[name.index(after: brace)...].dropLast().split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                labels[String(parts[0])] = String(parts[1].dropFirst().dropLast())
            }
            name = name[..<brace]
        }
        (self.name, self.labels, self.value) = (String(name), labels, value)
    }
}
