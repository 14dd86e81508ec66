import SettleDocuments

/// SplitMix64: the same seed gives the same documents on every system.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension JSONValue {
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: -70...300, using: &generator))
        case 3: return .integer(Int64(bitPattern: generator.next() >> generator.next() % 64))
        case 4:
            let value = Double(bitPattern: generator.next())
            return .double(value.isFinite ? value : -0.0)
        case 5: return .double(Double(Int.random(in: -9999...9999, using: &generator)) / 100)
        case 6, 7: return .string(randomText(using: &generator))
        case 8, 9:
            let count = Int.random(in: 0...5, using: &generator)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...7, using: &generator) {
                members[randomText(using: &generator)] = random(
                    depth: depth - 1, using: &generator)
            }
            return .object(members)
        }
    }

    static func randomText(using generator: inout SeededGenerator) -> String {
        let alphabet: [String] = [
            "a", "b", "B", "0", "\"", "\\", "/", "\n", "\u{0}", "\u{1}", "\u{1F}", "\u{7F}", "é",
            "e\u{301}", "ß", "中", "😀", "\u{FFFF}", "\u{FEFF}", "\u{200B}", " ",
        ]
        let isLong = Int.random(in: 0..<20, using: &generator) == 0
        let count = Int.random(in: isLong ? 50...400 : 0...9, using: &generator)
        return (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined()
    }
}

/// Text with spaces and escapes wherever JSON allows them.
func sprawlingText(of value: JSONValue, using generator: inout SeededGenerator) -> String {
    func space() -> String {
        ["", "", "", " ", "\n", "\t\r\n "].randomElement(using: &generator) ?? ""
    }
    func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || Int.random(in: 0..<4, using: &generator) == 0 {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
                    output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }
    switch value {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .double(let value): return value.description
    case .string(let text): return quoted(text)
    case .array(let elements):
        let inside = elements.map { space() + sprawlingText(of: $0, using: &generator) + space() }
        return "[" + (inside.isEmpty ? space() : inside.joined(separator: ",")) + "]"
    case .object(let members):
        var inside: [String] = []
        for (name, member) in members.shuffled(using: &generator) {
            inside.append(
                space() + quoted(name) + space() + ":" + space()
                    + sprawlingText(of: member, using: &generator) + space())
        }
        return "{" + (inside.isEmpty ? space() : inside.joined(separator: ",")) + "}"
    }
}
