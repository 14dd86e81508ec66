package import SettleLMDB

/// What a child writes, commit by commit, and what is in its tables after so many of them.
package struct LogHistory: Sendable {
    /// What a commit does.
    package enum Change: Sendable {
        case put(table: String, key: [UInt8], value: [UInt8])
        case delete(table: String, key: [UInt8])
        case clear(table: String)
    }

    let seed: UInt64
    let lane: Int

    package init(seed: UInt64, lane: Int) {
        self.seed = seed
        self.lane = lane
    }

    /// The table whose one entry is the number of the last commit.
    package var counter: String { "count \(lane)" }

    /// The changes of a commit.
    ///
    /// Every 19th is larger than a record takes, every 31st makes a table.
    package func changes(of number: Int) -> [Change] {
        var generator = LogGenerator(seed &+ UInt64(number) &* 0x9E37 &+ UInt64(lane) << 40)
        let main = "lane \(lane)"
        var changes: [Change] = [
            .put(
                table: counter, key: [0],
                value: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        ]
        func value(_ count: Int) -> [UInt8] {
            let base = UInt8(truncatingIfNeeded: generator.next())
            return (0..<count).map { base &+ UInt8(truncatingIfNeeded: $0) }
        }
        for _ in 0..<1 + generator.next() % 4 {
            let key = [UInt8(generator.next() % 60)]
            switch generator.next() % 10 {
            case 0...2: changes.append(.delete(table: main, key: key))
            case 3 where generator.next() % 20 == 0: changes.append(.clear(table: main))
            default:
                changes.append(
                    .put(table: main, key: key, value: value(Int(generator.next() % 700))))
            }
        }
        if number % 19 == 0 {
            for key in UInt8(100)..<120 {
                changes.append(.put(table: main, key: [key], value: value(1_500)))
            }
        }
        if number % 31 == 0 {
            changes.append(.put(table: "\(main), \(number)", key: [1], value: value(10)))
        }
        return changes
    }

    /// Makes the commit.
    package func commit(_ number: Int, in environment: Environment) throws {
        try environment.write { transaction in
            for change in changes(of: number) {
                switch change {
                case .put(let table, let key, let value):
                    try transaction.put(
                        value, for: key, in: transaction.createTable(named: table))
                case .delete(let table, let key):
                    _ = try transaction.delete(key, from: transaction.createTable(named: table))
                case .clear(let table):
                    try transaction.removeAll(from: transaction.createTable(named: table))
                }
            }
        }
    }

    /// The number of the last commit that is there.
    package func last(in environment: Environment) throws -> Int {
        try environment.read { transaction in
            guard let table = try transaction.table(named: counter),
                let value = try transaction.value(for: [0], in: table)
            else { return 0 }
            return value.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// The options that children and their verification use: small numbers, so that all happens soon.
    package static func options(
        _ durability: Durability, faults: CommitLogFaults = []
    ) -> EnvironmentOptions {
        // Room for the tables of some ten thousand commits.
        var options = EnvironmentOptions(
            mapSizeInitial: 512 << 10, tablesMax: 2_048, durability: durability)
        options.usesCommitLog = true
        options.logFaults = faults
        options.logTuning.segmentBytes = 16 << 12
        options.logTuning.recordBytesMax = 16 << 10
        options.logTuning.commitsMax = 12
        options.logTuning.plainCommitsAtFirst = 2
        options.logTuning.plainCommitsAfterOthers = 3
        options.logTuning.idleSeconds = 0.05
        options.relaxedSecondsMax = 0.01
        return options
    }
}

/// The same numbers for the same seed.
struct LogGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
