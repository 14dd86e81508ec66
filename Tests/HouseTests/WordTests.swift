import Testing

@Suite struct `Words in the sources` {
    private func file(_ text: String, path: String = "Sources/Settle/A.swift")
        -> PackageTree.TextFile
    {
        PackageTree.TextFile(path: path, text: text)
    }

    @Test func `are unsafe in the unsafe room alone`() throws {
        let files = try PackageTree.house().files(ending: ".swift")
            .filter { $0.path != "Package.swift" }
        let found = files.flatMap {
            MemorySafetyRule.violations(in: $0, exceptions: MemorySafetyRule.exceptions)
        }
        #expect(found == [])
        #expect(MemorySafetyRule.violations(of: MemorySafetyRule.exceptions, files: files) == [])
    }

    @Test(arguments: [
        "let a = unsafe b", "final class A: @unchecked Sendable {}",
        "nonisolated(unsafe) var a = 1", "func f(_ p: UnsafeRawPointer) {}",
        "a.withUnsafeBytes { _ in }", "let a = Unmanaged<B>.self", "unsafeBitCast(a, to: B.self)",
        #"let a = "\(unsafe b)""#,
    ])
    func `are refused when unsafe elsewhere`(text: String) {
        #expect(!MemorySafetyRule.violations(in: file(text), exceptions: []).isEmpty)
        let inTheRoom = file(text, path: "Sources/SettleLMDB/A.swift")
        #expect(MemorySafetyRule.violations(in: inTheRoom, exceptions: []) == [])
    }

    @Test(arguments: [
        "// unsafe is only talked about", #"let a = "unsafe""#, "/* @unchecked */",
        "let unchecked = 1", "func `an unsafe thing is refused`() {}",
        "let a = #\"unsafe \" unsafe\"#",
    ])
    func `are let pass when they only sound unsafe`(text: String) {
        #expect(MemorySafetyRule.violations(in: file(text), exceptions: []) == [])
    }

    @Test func `that are excepted must be used and explained`() {
        let text = "let a = unsafe b"
        func exception(_ words: Set<String>, _ reason: String, path: String = "A.swift")
            -> MemorySafetyRule.Exception
        {
            MemorySafetyRule.Exception(path: path, words: words, reason: reason)
        }
        let reason = "There is no other way."
        let files = [file(text, path: "A.swift")]
        func faults(_ exception: MemorySafetyRule.Exception) -> Int {
            MemorySafetyRule.violations(of: [exception], files: files).count
        }
        #expect(faults(exception(["unsafe"], reason)) == 0)
        #expect(faults(exception(["unsafe", "Unmanaged"], reason)) == 1)
        #expect(faults(exception(["unsafe"], "faster")) == 1)
        #expect(faults(exception(["unsafe"], reason, path: "B.swift")) == 1)
        let allowed = [exception(["unsafe"], reason)]
        #expect(MemorySafetyRule.violations(in: files[0], exceptions: allowed) == [])
        let more = file("unsafe Unmanaged", path: "A.swift")
        #expect(MemorySafetyRule.violations(in: more, exceptions: allowed).count == 1)
    }

    @Test func `leave no notes to oneself`() throws {
        let tree = try PackageTree.house()
        let files =
            try tree.files(ending: ".swift") + tree.files(ending: ".md")
            + tree.files(under: "Sources/", ending: ".h")
        #expect(files.flatMap(LeftoverRule.violations) == [])
    }

    @Test(arguments: [
        "// TO" + "DO: later", "/* FIX" + "ME */", "// (XX" + "X)",
        "// `TO" + "DO` TO" + "DO",
    ])
    func `that are notes to oneself are refused`(text: String) {
        #expect(LeftoverRule.violations(in: file("let a = 1\n" + text)).count == 1)
    }

    @Test(arguments: [
        "let to" + "do = 1", "let TO" + "DOS = 2", "struct FIX" + "MEUP {}",
        "// the table `TO" + "DO`", "let name = \"TO" + "DO\"",
    ])
    func `that only look like notes are let pass`(text: String) {
        #expect(LeftoverRule.violations(in: file(text)) == [])
    }
}
