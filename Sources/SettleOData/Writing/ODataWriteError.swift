/// Why a filter or an order cannot be written.
///
/// The sentence is for the application that built the filter, and may repeat names of it.
package struct ODataWriteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do.
    package var message: String

    init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
