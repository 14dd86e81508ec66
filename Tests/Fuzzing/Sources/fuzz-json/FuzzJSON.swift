import CFuzzer
import SettleDocuments

/// JSON text goes in; whatever it is, it is read or refused, and every way through agrees.
@main enum FuzzJSON {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            FuzzJSON.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    /// Traps when something does not agree, which the fuzzer reports.
    private static func test(_ text: [UInt8]) {
        let packed: PackedValue
        do throws(JSONError) {
            packed = try JSONText.packed(from: text)
        } catch {
            precondition((0...text.count).contains(error.byteOffset), "An error lies in the text.")
            precondition(error.line >= 1 && error.column >= 1, "Lines and columns begin at one.")
            precondition((try? JSONText.value(from: text)) == nil, "Both ways refuse.")
            return
        }
        do {
            try packed.check()
            let value = try packed.value()
            let compact = try JSONText.text(of: packed)
            precondition((try? JSONText.value(from: text)) == value, "Text and packed agree.")
            precondition((try? PackedValue(value)) == packed, "The packed form is canonical.")
            precondition(JSONText.text(of: value) == compact, "Both write the same text.")
            precondition((try? JSONText.packed(from: compact)) == packed, "Text comes back.")
            testTaking(text, value)
        } catch {
            preconditionFailure("What was read must be sound: \(error)")
        }
    }

    /// Takes "id" out of an object, and compares with the tree.
    private static func testTaking(_ text: [UInt8], _ value: JSONValue) {
        let taken: (packed: PackedValue, taken: String?)
        do throws(JSONError) {
            taken = try JSONText.packedObject(from: text.span, taking: "id")
        } catch {
            let isFit = value.objectValue.map { ($0["id"] ?? "").stringValue != nil } ?? false
            precondition(!isFit, "Only what is no object or has an odd identifier is refused.")
            return
        }
        var rest = value
        rest["id"] = nil
        precondition(taken.taken == value["id"]?.stringValue, "The identifier is taken.")
        precondition((try? PackedValue(rest)) == taken.packed, "All the rest is left.")
    }
}
