import Settle
import Testing

@testable import SettleServer

@Suite struct `Patterns of selectors` {
    @Test(arguments: [
        ("abc", "xabcx", true), ("^abc$", "xabcx", false), ("^a.c$", "abc", true),
        ("^a.c$", "a\nc", false), ("a|b|cd", "xcdx", true), ("^(a|b)*$", "abba", true),
        ("^(?:ab)+$", "ababa", false), ("^ab?c$", "ac", true), ("^a{2,3}$", "aaaa", false),
        ("^a{2,3}$", "aaa", true), ("^a{2}$", "aa", true), ("^a{2,}$", "aaaaa", true),
        ("[a-c]+z", "xbaz", true), ("^[^a-c]+$", "xyz", true), ("^[^a-c]+$", "xaz", false),
        ("^[\\d-]+$", "1-2", true), ("^\\w+\\s\\S$", "ab c", true), ("^\\D$", "5", false),
        ("\\.", "a.b", true), ("^\\.$", "x", false), ("^[]a]+$", "]a", true), ("", "x", true),
        ("^$", "", true), ("^a*?$", "aaa", true), ("ö+", "xööx", true), ("^.$", "😀", true),
        ("\\bab\\b", "x ab y", true), ("\\bab\\b", "xab", false), ("a{", "a{", true),
        // Some patterns would take others longer than anybody lives.
        ("(a+)+$", String(repeating: "a", count: 500) + "b", false),
    ])
    func `are found in linear time`(
        text: String, in whole: String, isFound: Bool
    )
        throws
    {
        #expect(try CouchPattern(text).matches(whole) == isFound)
    }

    @Test(arguments: [
        ("(?i)^BONN$", "bonn", true), ("^a(?i)b$", "aB", true), ("^a(?i)b$", "AB", false),
        ("^(?i:a)b$", "Ab", true), ("^(?i:a)b$", "AB", false), ("(?i)[a-c]+$", "xAB", true),
        ("(?i)^[^a]$", "A", false), ("(?i)Ö", "schön", true), ("^(a(?i)|b)$", "B", true),
        ("(?s)^a.c$", "a\nc", true), ("^a.c$", "a\rc", true), ("(?m)^b$", "a\nb\nc", true),
        ("^b$", "a\nb\nc", false), ("^a$", "a\n", true), ("^a\\z", "a\n", false),
        ("^a\\Z", "a\n", true), ("\\Ab", "ab", false), ("(?x) a b # so\n c", "abc", true),
        ("(?-i)a", "A", false), ("(?is)^A.b$", "a\nB", true), ("\\x41", "A", true),
        ("^\\x{1F600}$", "\u{1F600}", true), ("^[\\x41-\\x43]+$", "ABC", true),
        ("^[[:alpha:]]+$", "abC", true), ("^[[:alpha:]]+$", "ab1", false),
        ("^[[:^digit:]_]+$", "ab_", true), ("^[[:alpha:][:digit:]-]+$", "a1-", true),
        ("^\\p{L}+$", "aÖж", true), ("^\\p{Lu}$", "ж", false), ("^\\pN$", "5", true),
        ("^\\P{L}$", "5", true), ("^\\p{^L}$", "5", true), ("^[\\p{Lu}\\d]+$", "Ж5", true),
        ("^[\\D]+$", "a-b", true), ("^[^\\D]+$", "12", true), ("^[\\w.]+$", "a.b", true),
        ("^\\Qa.b\\E+$", "a.bb", true), ("\\Q(", "(", true), ("^(?<name>a)b$", "ab", true),
        ("^(?P<name>a)b$", "ab", true), ("^a(?#why)b$", "ab", true), ("^\\h\\N\\v$", " x\n", true),
        ("^[\\b]$", "\u{8}", true), ("^\\0$", "\0", true), ("^\\e$", "\u{1B}", true),
        ("^a|b|$", "x", true), ("^(|a|b)c$", "c", true), ("^(a|b|c|)x$", "cx", true),
        ("{", "{", true), ("^a{,2}$", "a{,2}", true), ("^a{x}$", "a{x}", true),
    ])
    func `are Perl's`(text: String, in whole: String, isFound: Bool) throws {
        #expect(try CouchPattern(text).matches(whole) == isFound)
    }

    @Test(arguments: [
        "(", "a)", "[a", "*a", "a{3,2}", "a{5000}", "\\", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)",
        "[b-a]", "\\1", "a++", "(?>a)", "\\p{Latin}", "\\p{", "[[:letter:]]", "[[:alpha:",
        "\\x{110000}", "\\x{}", "\\y", "(?z)a", "(?i", "a{9223372036854775807}",
        "a{9223372036854775807,}", "a{0,9223372036854775807}", "a{99999999999999999999}",
        "(){9223372036854775807}", "((((a{60}){60}){60}){60}){60}", "(?:a{4000}){2}",
    ])
    func `are refused when they cannot be read or are too long`(text: String) {
        #expect(throws: CouchPattern.Fault.self) { try CouchPattern(text) }
    }

    @Test func `have no more steps than they may, whatever they are made of`() {
        for (part, count) in [
            ("|", 2_001), ("a", 4_001), ("a|", 1_500), ("(a|b)", 1_100), ("()", 10_001),
            ("a{0}", 5_001), ("{", 20_001), ("[", 20_000), ("a{", 20_000), ("(?i)", 5_001),
        ] {
            let text = String(repeating: part, count: count)
            #expect(throws: CouchPattern.Fault.self, "\(part)") { try CouchPattern(text) }
        }
    }

    @Test func `of many alternatives are read and found`() throws {
        let words = (0..<250).map { "w\($0)" }
        let pattern = try CouchPattern("^(?:" + words.joined(separator: "|") + ")$")
        #expect(words.allSatisfy(pattern.matches) && !pattern.matches("w250"))
        let wide = try CouchPattern("[" + String(repeating: "ab", count: 9_000) + "]")
        #expect(wide.matches("xxb") && !wide.matches("xx"))
    }
}
