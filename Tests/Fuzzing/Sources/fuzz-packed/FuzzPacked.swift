import CFuzzer
import SettleDocuments

/// Bytes that claim to be a packed document go in; whatever they are, every accessor answers or
/// throws, and what passes the check is sound.
@main enum FuzzPacked {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            FuzzPacked.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    /// Traps when something does not agree, which the fuzzer reports.
    private static func test(_ bytes: [UInt8]) {
        let packed = PackedValue(stored: bytes)
        let isSound = (try? packed.check()) != nil
        let value = try? packed.value()
        let text = try? JSONText.text(of: packed)
        precondition(isSound == (value != nil), "What passes the check can be read.")
        precondition(isSound == (text != nil), "What passes the check has a text.")
        if let value, let text {
            precondition((try? PackedValue(value)) == packed, "The packed form is canonical.")
            precondition(JSONText.text(of: value) == text, "Both write the same text.")
            let limits = JSONLimits(sizeMax: 1 << 30)
            precondition(
                (try? JSONText.packed(from: text, limits: limits)) == packed, "Text comes back.")
        }
        testMembers(packed, value)
        testView(packed.bytes.span)
        testCoding(packed)
        var key: [UInt8] = []
        _ = try? Collator(.raw).append(packed.bytes.span, in: 0..<packed.bytes.count, to: &key)
    }

    private static func testMembers(_ packed: PackedValue, _ value: JSONValue?) {
        let names = (try? packed.memberNames()) ?? []
        for name in names.prefix(8) + ["", "id", "type", "a member that is not there"] {
            let member = try? packed.member(name)
            if let value { precondition(member == value[name], "A member is that of the tree.") }
            _ = try? packed.packedMember(name)
            _ = try? packed.member(at: [name, "a"])
        }
    }

    private static func testView(_ bytes: Span<UInt8>) {
        let view = PackedView(bytes)
        _ = try? view.check()
        for name in ["", "a", "id", "type"] {
            _ = try? view.string(name)
            _ = try? view.integer(name)
            _ = try? view.double(name)
            _ = try? view.bool(name)
            _ = try? view.string(at: name, "a")
            _ = try? view.integer(at: "a", name)
        }
    }

    private static func testCoding(_ packed: PackedValue) {
        _ = try? packed.decode(Tree.self)
        _ = try? packed.decode([String: Tree].self)
        _ = try? packed.decode([Int?].self)
        _ = try? packed.decode(Float.self)
        guard let tree = try? packed.decode(Tree.self) else { return }
        guard let again = try? PackedValue(encoding: tree).decode(Tree.self) else {
            preconditionFailure("What was decoded can be encoded and decoded.")
        }
        precondition(again == tree, "Coding gives back what it was given.")
    }
}

/// A type of every kind of field, as deep as the document.
private final class Tree: Codable, Equatable {
    let a: String?
    let b: [Double]?
    let c: UInt8?
    let d: [String: Int]?
    let left: Tree?
    let right: [Tree]?

    static func == (left: Tree, right: Tree) -> Bool {
        left.a == right.a && left.b == right.b && left.c == right.c && left.d == right.d
            && left.left == right.left && left.right == right.right
    }
}
