import Foundation
import SettleREST
import TestSupport

extension TableModel: SimulatedTable {
    /// Sets up a model of a style by chance.
    static let founding: TableFounding = { random, surroundings in
        TableModel(
            style: TableStyle(&random), seed: random.next(), time: surroundings.time,
            journal: surroundings.journal, ledger: surroundings.ledger)
    }

    var url: URL {
        guard let url = URL(string: "http://h/tables/t") else {
            preconditionFailure("This is an address.")
        }
        return url
    }

    var description: String { style.description }
    var isConcurrent: Bool { false }
    var deletesHard: Bool { style.deletesHard }
    var hasDoublesOnly: Bool { style.hasDoublesOnly }
    var needsForwardClocks: Bool { style.clock == .upThenDown }

    func dialect(ofDevice index: Int) -> AzureTablesBackend.Dialect {
        switch style.kind {
        case .mobileServices: .v1
        case .node, .dotNet: .v2
        case .mobileApps6, .toolkit: .v3
        }
    }

    func pageSizeMax(ofDevice index: Int) -> Int { .max }

    func close() {}
}
