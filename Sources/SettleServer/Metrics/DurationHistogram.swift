/// How long requests took, in the form of Prometheus: counts up to each of some borders.
struct DurationHistogram: Sendable {
    /// The borders in seconds; what took longer is counted behind the last.
    static let borders = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private var counts = [Int](repeating: 0, count: borders.count + 1)
    private(set) var sum = 0.0

    /// How many there are in all.
    var count: Int { counts.reduce(0, +) }

    /// Counts a request.
    mutating func record(_ seconds: Double) {
        counts[Self.borders.firstIndex { seconds <= $0 } ?? Self.borders.count] += 1
        sum += seconds
    }

    /// How many took at most each of the borders.
    var cumulative: [(border: Double, count: Int)] {
        var total = 0
        return zip(Self.borders, counts).map { border, count in
            total += count
            return (border, total)
        }
    }
}
