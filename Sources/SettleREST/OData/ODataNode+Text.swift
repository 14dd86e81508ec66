import SettleOData
import SettleSync

extension ODataNode {
    /// The condition as text, before it is encoded for a URL.
    ///
    /// - Parameters:
    ///   - version: The version of the language that the server reads.
    ///   - levelsAround: How many levels of the back-end's own stand around what an app built.
    /// - Returns: The text.
    /// - Throws: As ``ODataPredicate/text(for:)``.
    func text(
        for version: ODataVersion, levelsAround: Int = 0
    ) throws(ReplicationError) -> String {
        do throws(ODataWriteError) {
            return try ODataWriter.text(
                of: self, for: version.dialect, levelsAround: levelsAround)
        } catch {
            throw ReplicationError(.misconfigured, error.message)
        }
    }
}
