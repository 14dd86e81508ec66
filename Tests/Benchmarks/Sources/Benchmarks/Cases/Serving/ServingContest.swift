import Foundation

/// The server beside the framework it is built with, under the same load, and beside what is known of
/// CouchDB.
struct ServingContest {
    /// The name of the case.
    let name: String
    /// What a rate counts.
    let unit: String
    /// The least that the server's rate must be of CouchDB's.
    let target: Double
    /// A rate of CouchDB, and what it is a rate of.
    let couch: (rate: Double, remark: String)
    /// What the bare framework answers everything with.
    let bare: (body: URL, status: Int, remark: String)

    private static let bareName = "bare"

    /// Puts the load on one and the other in turn.
    ///
    /// - Parameters:
    ///   - repetitions: How often.
    ///   - settle: Puts it on the server; gives the rate.
    ///   - load: Puts it on the bare server at a port; gives the rate.
    /// - Returns: The two comparisons.
    /// - Throws: What the loads throw.
    func comparisons(
        repetitions: Int, settle: @escaping () async throws -> Outcome,
        load: @escaping (Int) async throws -> Outcome
    ) async throws -> [Comparison] {
        var comparisons: [Comparison] = []
        try await RunningServer.withBare(answering: bare.body, status: bare.status) { server in
            let contest = try await Contest(
                [
                    Contender(name: SettlePeer.name, run: settle),
                    Contender(name: Self.bareName) { try await load(server.port) },
                ], repetitions: repetitions)
            let outcomes = contest[SettlePeer.name]
            comparisons = [
                Comparison(
                    name, peer: "self-couchdb", unit: unit, target: .atLeast(target),
                    settle: outcomes, peer: outcomes.map { _ in Outcome(value: couch.rate) },
                    remark: couch.remark),
                Comparison(
                    name, peer: "self-bare", unit: unit, settle: outcomes,
                    peer: contest[Self.bareName], remark: bare.remark),
            ]
        }
        return comparisons
    }
}
