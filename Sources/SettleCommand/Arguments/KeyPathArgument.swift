import ArgumentParser

/// A path to a member: `population`, or `address.city` for a member of a member.
///
/// A backslash before a dot, or before a backslash, takes its meaning away.
struct KeyPathArgument: Sendable, Equatable {
    /// The names on the way, at least one.
    let names: [String]

    /// Reads a path.
    ///
    /// - Throws: `ValidationError` when a name in it is empty.
    init(parsing text: String) throws {
        var names = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                names[names.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                names.append("")
            } else {
                names[names.count - 1].append(character)
            }
        }
        guard !isEscaped, !names.contains("") else {
            throw ValidationError(
                "It is no path to a member. Write a name, or names with dots between them: "
                    + "address.city (a dot in a name is written \\.).")
        }
        self.names = names
    }

    /// A path of these names, at least one.
    init(_ names: [String]) {
        self.names = names
    }

    /// The path as it is written on the command line.
    var text: String {
        names.map { name in
            name.replacing("\\", with: "\\\\").replacing(".", with: "\\.")
        }.joined(separator: ".")
    }
}
