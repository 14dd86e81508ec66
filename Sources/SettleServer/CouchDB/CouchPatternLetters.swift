/// Which letters fit at a place of a pattern.
struct CouchPatternLetters: Sendable {
    /// Sorted, without overlaps.
    private var ranges: [ClosedRange<UInt32>]
    /// A bit for each general category whose letters fit as well.
    private var categories: UInt32 = 0
    var isExcluding = false

    static let word = Self([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    private static let digits = Self([0x30...0x39])
    private static let spaces = Self([0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0])
    private static let blanks = Self([
        0x09...0x09, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x180E...0x180E, 0x2000...0x200A,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ])
    private static let lineEnds = Self([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
    private static let lastLetter: UInt32 = 0x10_FFFF

    init(_ ranges: [ClosedRange<UInt32>] = [], isExcluding: Bool = false) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
        self.isExcluding = isExcluding
    }

    /// What an escaped letter stands for; nil for none.
    init?(escaped letter: Unicode.Scalar) {
        switch letter {
        case "d", "D": self = Self.digits
        case "w", "W": self = Self.word
        case "s", "S": self = Self.spaces
        case "h", "H": self = Self.blanks
        case "v", "V": self = Self.lineEnds
        case "N": self = Self([0x0A...0x0A])
        default: return nil
        }
        isExcluding = "DWSHVN".unicodeScalars.contains(letter)
    }

    /// The letters of a class of POSIX; nil for a name that is none.
    init?(named name: String) {
        switch name {
        case "alpha": self.init([0x41...0x5A, 0x61...0x7A])
        case "lower": self.init([0x61...0x7A])
        case "upper": self.init([0x41...0x5A])
        case "alnum": self.init([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
        case "digit": self = Self.digits
        case "xdigit": self.init([0x30...0x39, 0x41...0x46, 0x61...0x66])
        case "space": self = Self.spaces
        case "blank": self.init([0x09...0x09, 0x20...0x20])
        case "punct": self.init([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
        case "cntrl": self.init([0x00...0x1F, 0x7F...0x7F])
        case "graph": self.init([0x21...0x7E])
        case "print": self.init([0x20...0x7E])
        case "word": self = Self.word
        case "ascii": self.init([0x00...0x7F])
        default: return nil
        }
    }

    /// The letters of general categories, by the name of one or the letter that several begin with.
    init?(category name: String) {
        self.init()
        for (place, category) in Self.categoryNames.enumerated()
        where name == "Any" || category == name || name.count == 1 && category.hasPrefix(name) {
            categories |= 1 << UInt32(place)
        }
        if name == "L&" { categories = 0b111 }
        if categories == 0 { return nil }
    }

    private static let categoryNames = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
        "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    private static func categoryBit(of letter: UInt32) -> UInt32 {
        guard let scalar = Unicode.Scalar(letter) else { return 0 }
        let place =
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: 0
            case .lowercaseLetter: 1
            case .titlecaseLetter: 2
            case .modifierLetter: 3
            case .otherLetter: 4
            case .nonspacingMark: 5
            case .spacingMark: 6
            case .enclosingMark: 7
            case .decimalNumber: 8
            case .letterNumber: 9
            case .otherNumber: 10
            case .connectorPunctuation: 11
            case .dashPunctuation: 12
            case .openPunctuation: 13
            case .closePunctuation: 14
            case .initialPunctuation: 15
            case .finalPunctuation: 16
            case .otherPunctuation: 17
            case .mathSymbol: 18
            case .currencySymbol: 19
            case .modifierSymbol: 20
            case .otherSymbol: 21
            case .spaceSeparator: 22
            case .lineSeparator: 23
            case .paragraphSeparator: 24
            case .control: 25
            case .format: 26
            case .surrogate: 27
            case .privateUse: 28
            default: 29
            }
        return 1 << UInt32(place)
    }

    /// These letters and others.
    ///
    /// - Complexity: Linear in the ranges of all of them.
    static func union(_ all: [Self]) -> Self {
        let parts = all.map { $0.isExcluding ? $0.namingAll : $0 }
        var union = Self(parts.flatMap(\.ranges))
        for part in parts { union.categories |= part.categories }
        return union
    }

    /// The same letters, named and not excluded.
    ///
    /// They are of categories or of ranges: only unions are of both.
    private var namingAll: Self {
        var other = Self()
        if categories != 0 {
            other.categories = ~categories & (1 << UInt32(Self.categoryNames.count) - 1)
        } else {
            var next: UInt32 = 0
            for range in ranges {
                if range.lowerBound > next { other.ranges.append(next...range.lowerBound - 1) }
                next = range.upperBound + 1
            }
            if next <= Self.lastLetter { other.ranges.append(next...Self.lastLetter) }
        }
        return other
    }

    /// Whether a letter fits, or one of two others that stand for it.
    ///
    /// - Complexity: Logarithmic in the ranges.
    func contains(_ letter: UInt32, or others: (UInt32, UInt32)? = nil) -> Bool {
        var isThere = includes(letter)
        if let others, !isThere { isThere = includes(others.0) || includes(others.1) }
        return isThere != isExcluding
    }

    private func includes(_ letter: UInt32) -> Bool {
        if categories != 0, categories & Self.categoryBit(of: letter) != 0 { return true }
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < letter { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(letter)
    }

    /// A letter in lower and in upper case, where those are one letter each.
    static func otherCases(of letter: UInt32) -> (UInt32, UInt32) {
        switch letter {
        case 0x41...0x5A: return (letter + 0x20, letter)
        case 0x61...0x7A: return (letter, letter - 0x20)
        case 0...0x7F: return (letter, letter)
        default:
            guard let properties = Unicode.Scalar(letter)?.properties else {
                return (letter, letter)
            }
            func only(_ text: String) -> UInt32 {
                let scalars = text.unicodeScalars
                return scalars.count == 1 ? scalars.first?.value ?? letter : letter
            }
            return (only(properties.lowercaseMapping), only(properties.uppercaseMapping))
        }
    }
}
