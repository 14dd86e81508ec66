import Settle

/// What is stored of one pipeline.
struct PipelineRecord: Sendable, Hashable {
    var name: String
    /// Stands for the pipeline in the keys of its operations.
    var number: UInt32
    /// How the graphs of new commits follow each other.
    var algorithm = PipelineAlgorithm.commitGraph
    /// The highest graph whose operations start only after every earlier graph has ended.
    var strictGraphLast: UInt64 = 0

    private static let layout: UInt8 = 1

    func encoded() -> [UInt8] {
        var row = RowWriter()
        row.write(byte: Self.layout)
        row.write(byte: algorithm == .flatGraph ? 1 : 0)
        row.write(number: UInt64(number))
        row.write(number: strictGraphLast)
        return row.bytes
    }

    init(name: String, number: UInt32) {
        self.name = name
        self.number = number
    }

    init(decoding bytes: [UInt8], name: String) throws(DatabaseError) {
        var row = RowReader(bytes, place: "pipeline '\(name)' of the outbox")
        guard try row.byte() == Self.layout else { throw row.damage }
        switch try row.byte() {
        case 0: algorithm = .commitGraph
        case 1: algorithm = .flatGraph
        default: throw row.damage
        }
        guard let number = UInt32(exactly: try row.number()) else { throw row.damage }
        self.name = name
        self.number = number
        strictGraphLast = try row.number()
    }
}

/// The last numbers that were given.
struct OutboxCounters: Sendable, Hashable {
    var operation: UInt64 = 0
    var graph: UInt64 = 0
    var pipeline: UInt32 = 0

    private static let layout: UInt8 = 1

    init() {}

    func encoded() -> [UInt8] {
        var row = RowWriter()
        row.write(byte: Self.layout)
        row.write(number: operation)
        row.write(number: graph)
        row.write(number: UInt64(pipeline))
        return row.bytes
    }

    init(decoding bytes: [UInt8]) throws(DatabaseError) {
        var row = RowReader(bytes, place: "the counters of the outbox")
        guard try row.byte() == Self.layout else { throw row.damage }
        operation = try row.number()
        graph = try row.number()
        guard let pipeline = UInt32(exactly: try row.number()) else { throw row.damage }
        self.pipeline = pipeline
    }
}
