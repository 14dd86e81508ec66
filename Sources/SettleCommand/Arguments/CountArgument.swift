import ArgumentParser

/// A whole number on the command line that counts something.
///
/// Options of it take whatever follows as their value, so that `-1` is answered as the number it is
/// and not as an option that nobody knows.
struct CountArgument: Sendable, Equatable, CustomStringConvertible {
    /// The number.
    let count: Int

    /// The number, as help texts show what is taken when nothing is given.
    var description: String { String(count) }

    /// A count that was not given.
    init(_ count: Int) {
        self.count = count
    }

    /// Reads a count of 1 or more.
    ///
    /// - Throws: `ValidationError` for anything else.
    static func positive(parsing text: String) throws -> CountArgument {
        try read(text, from: 1)
    }

    /// Reads a count of 0 or more.
    ///
    /// - Throws: `ValidationError` for anything else.
    static func natural(parsing text: String) throws -> CountArgument {
        try read(text, from: 0)
    }

    /// Reads the number of a port.
    ///
    /// - Throws: `ValidationError` for anything else.
    static func port(parsing text: String) throws -> UInt16 {
        guard let port = UInt16(text) else {
            throw ValidationError("It takes a whole number from 0 to 65535.")
        }
        return port
    }

    private static func read(_ text: String, from least: Int) throws -> CountArgument {
        guard let count = Int(text), count >= least else {
            throw ValidationError("It takes a whole number, \(least) or more.")
        }
        return CountArgument(count)
    }
}
