import Foundation
import HTTPTypes
import Settle
import SettleREST
import SettleSync

/// A table on a server, as the world of a simulation sees it: requests reach it and things befall it.
///
/// What happens on the way is ``SimulatedNetwork``'s business.
protocol SimulatedTable: Sendable, CustomStringConvertible {
    /// Where the devices are told that it is, whatever becomes of the server.
    var url: URL { get }
    /// Whether rows are removed for good now and then, which only a listing shows.
    var deletesHard: Bool { get }
    /// Whether a device's clock that goes back could hide that the server's does, too.
    var needsForwardClocks: Bool { get }
    /// Whether it rounds large whole numbers.
    var hasDoublesOnly: Bool { get }
    /// Whether it carries out several requests at the same time.
    var isConcurrent: Bool { get }

    /// What a device may be told that the server speaks.
    func dialect(ofDevice index: Int) -> AzureTablesBackend.Dialect
    /// The most rows that a device may ask for at once.
    func pageSizeMax(ofDevice index: Int) -> Int

    /// Whether the server is down at the moment; each question is a refused request.
    func refuses(_ request: HTTPRequest, _ body: [UInt8]?) async throws -> Bool
    /// Carries out a request.
    ///
    /// - Throws: ``ReplicationError`` with `unreachable` when the server is not there any more.
    func handle(
        _ request: HTTPRequest, _ body: [UInt8]?
    ) async throws(ReplicationError) -> FullHTTPResponse

    /// The server goes down: the next requests are refused.
    func restart() async throws
    /// The server's clock is set by chance.
    func moveClock(_ draw: UInt64)
    /// Somebody else changes a row.
    func edit(_ id: String, _ draw: UInt64) async throws
    /// From now on nothing befalls the server.
    func calmDown() async throws
    /// What the server has.
    func contents() async throws -> TableContents
    /// Ends the server.
    func close() async throws
}
