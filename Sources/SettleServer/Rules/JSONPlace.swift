import Settle

/// A place in a JSON text, as a path from its root.
struct JSONPlace: Sendable, Equatable, CustomStringConvertible {
    /// One step down.
    enum Step: Sendable, Equatable {
        case member(String)
        case element(Int)
    }

    var steps: [Step] = []

    /// The value of a member.
    func member(_ name: String) -> JSONPlace { JSONPlace(steps: steps + [.member(name)]) }

    /// An element of an array.
    func element(_ index: Int) -> JSONPlace { JSONPlace(steps: steps + [.element(index)]) }

    /// The path as people write it: `tables.orders.grants[0]`.
    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text += text.isEmpty ? name : "." + name
            case .element(let index): text += "[\(index)]"
            }
        }
    }

    /// Where the value begins in a text.
    ///
    /// - Parameter text: A JSON text that has been read already; the place is in it.
    /// - Returns: The line, and the column in characters, both from 1.
    func lineAndColumn(in text: [UInt8]) -> (line: Int, column: Int) {
        var walk = Walk(text: text)
        for step in steps { walk.enter(step) }
        walk.skipSpace()
        let before = text[..<min(walk.index, text.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return (line, column)
    }

    /// A walk over a text that is known to be JSON.
    private struct Walk {
        let text: [UInt8]
        var index = 0

        mutating func enter(_ step: Step) {
            skipSpace()
            index += 1
            switch step {
            case .member(let name):
                while self.name() != name {
                    skipValue()
                    skipSpace()
                    index += 1
                }
            case .element(let count):
                for _ in 0..<count {
                    skipValue()
                    skipSpace()
                    index += 1
                }
            }
        }

        /// Reads a name and the colon behind it.
        private mutating func name() -> String? {
            skipSpace()
            let start = index
            skipString()
            let name = try? JSONText.value(from: Array(text[start..<index])).stringValue
            skipSpace()
            index += 1
            return name
        }

        private mutating func skipValue() {
            skipSpace()
            var depth = 0
            repeat {
                switch text[index] {
                case UInt8(ascii: "\""): skipString()
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    index += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    index += 1
                default:
                    if depth > 0 { index += 1 } else { skipWord() }
                }
            } while depth > 0
        }

        private mutating func skipWord() {
            let ends = Array(",]} \t\r\n".utf8)
            while index < text.count, !ends.contains(text[index]) { index += 1 }
        }

        private mutating func skipString() {
            index += 1
            while text[index] != UInt8(ascii: "\"") {
                index += text[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
        }

        mutating func skipSpace() {
            while index < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[index]) { index += 1 }
        }
    }
}
