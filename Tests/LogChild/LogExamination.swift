package import SettleLMDB

/// Opens a database that a power failure or a kill may have left, and compares it with the model.
package struct LogExamination: Sendable {
    package let model: LogModel
    /// The last commit of each lane that was reported.
    package let reported: [Int]
    /// Whether reported commits may be gone.
    package let isRelaxed: Bool
    package let faults: CommitLogFaults

    package init(
        model: LogModel, reported: [Int], isRelaxed: Bool, faults: CommitLogFaults = []
    ) {
        self.model = model
        self.reported = reported
        self.isRelaxed = isRelaxed
        self.faults = faults
    }

    /// What is wrong with a database; nil when nothing is.
    package func problem(in directory: String) -> String? {
        do {
            let options = LogHistory.options(.full, faults: faults)
            let environment = try Environment.open(at: directory, options: options, create: true)
            defer { environment.close() }
            if let problem = try problem(of: environment) { return problem }
            // It must be fit for use.
            for lane in reported.indices {
                let history = LogHistory(seed: model.seed, lane: lane)
                let last = try history.last(in: environment)
                for number in last + 1...last + 4 { try history.commit(number, in: environment) }
            }
            return try problem(of: environment, isContinued: true).map { "After more: \($0)" }
        } catch {
            return "\(error)"
        }
    }

    private func problem(of environment: Environment, isContinued: Bool = false) throws -> String? {
        var wanted: [String: [[UInt8]: [UInt8]]] = [:]
        for lane in reported.indices {
            let history = LogHistory(seed: model.seed, lane: lane)
            let number = try history.last(in: environment)
            let least = isRelaxed ? 0 : reported[lane]
            guard isContinued || (least...reported[lane] + 1).contains(number) else {
                return "Lane \(lane) is at \(number), and \(reported[lane]) was reported."
            }
            wanted.merge(model.contents(ofLane: lane, after: number)) { $1 }
        }
        let findings = try environment.verifyPages().findings
        guard findings.isEmpty else { return "\(findings.prefix(3))" }
        let found = try environment.read { transaction in
            var found: [String: [[UInt8]: [UInt8]]] = [:]
            for name in try transaction.tableNames() {
                guard let table = try transaction.table(named: name) else { continue }
                found[name] = [:]
                try transaction.forEach(in: table) { key, value in
                    found[name]?[key.indices.map { key[$0] }] = value.indices.map { value[$0] }
                    return true
                }
            }
            return found
        }
        // A table that a rolled back start has made may be there, empty.
        for (name, entries) in found where entries != wanted[name] ?? [:] {
            return "The table \(name) has other entries than it should."
        }
        for (name, entries) in wanted where found[name] == nil && !entries.isEmpty {
            return "The table \(name) is not there."
        }
        return nil
    }
}
