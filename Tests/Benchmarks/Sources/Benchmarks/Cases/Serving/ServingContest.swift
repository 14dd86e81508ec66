import Foundation

/// The server beside the framework it is built with, under the same load, and beside what is known of
/// CouchDB.
struct ServingContest {
    /// The name of the case.
    let name: String
    /// What a rate counts.
    let unit: String
    /// The least that the server's rate must be of CouchDB's, that rate, and what it is a rate of; nil where it is
    /// not a peer.
    let couch: (target: Double, rate: Double, remark: String)?
    /// What the bare framework answers everything with, and the least that the server's rate should be of its,
    /// if anything was promised.
    let bare: (body: URL, status: Int, target: Double?, remark: String)
    /// What tells this contest from others of the case.
    var label = ""

    private static let bareName = "bare"

    /// Puts the load on one and the other in turn.
    ///
    /// - Parameters:
    ///   - repetitions: How often.
    ///   - settle: Puts it on the server; gives the rate.
    ///   - load: Puts it on the bare server at a port; gives the rate.
    /// - Returns: The comparisons.
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
            if let couch {
                comparisons.append(
                    Comparison(
                        name, peer: "self-couchdb\(label)", unit: unit,
                        target: .atLeast(couch.target), settle: outcomes,
                        peer: outcomes.map { _ in Outcome(value: couch.rate) },
                        remark: couch.remark))
            }
            comparisons.append(
                Comparison(
                    name, peer: "self-bare\(label)", unit: unit,
                    target: bare.target.map { .atLeast($0) },
                    settle: outcomes, peer: contest[Self.bareName], remark: bare.remark))
        }
        return comparisons
    }
}
