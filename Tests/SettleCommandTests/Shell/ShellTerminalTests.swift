#if LineEditing
    import Foundation
    import Settle
    import TestSupport
    import Testing

    private let hasTerminal = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    @Suite(.serialized, .enabled(if: hasTerminal, "there is no program that makes terminals"))
    struct `Shell on a terminal` {
        private let tool: BuiltTool

        init() throws {
            tool = try BuiltTool()
        }

        /// A shell in a terminal, once its prompt is there.
        private func withShell(
            _ options: String = "", history: String? = nil, term: String = "xterm",
            _ body: (RunningTool, ScratchDirectory) async throws -> Void
        ) async throws {
            try await withScratchDirectory("terminal") { scratch in
                let path = scratch.file("shop").path
                let items = #"{"id":"apple","price":3} {"id":"apricot","price":2}"#
                    .replacing("} {", with: "}\n{")
                let imported = try await tool.run(["import", path, "-"], input: items)
                #expect(imported.status == 0, "\(imported)")
                if let history { try scratch.write(history, to: "history") }
                let running = try tool.startOnTerminal(
                    "shell '\(path)' \(options)",
                    environment: [
                        "SETTLE_HISTORY": scratch.file("history").path, "TERM": term,
                        "EDITRC": "/dev/null", "LC_ALL": "C",
                    ])
                let prompt = await running.output(until: "> ")
                #expect(prompt.contains("Ctrl-D ends"), "\(prompt)")
                try await body(running, scratch)
                running.closeInput()
            }
        }

        @Test func `completes a word by Tab and lists what it may be`() async throws {
            try await withShell { shell, _ in
                shell.write("get ap\t")
                let listed = await shell.output(until: "apricot")
                #expect(listed.contains("apple"), "\(listed)")
                shell.write("r\t--json\n")
                let shown = await shell.output(until: #""price":2}"#)
                #expect(shown.contains("icot --json"), "\(shown)")
                _ = await shell.output(until: "shop> ")
                shell.write("\u{4}")
                let outcome = await shell.outcome()
                #expect(outcome.status == 0, "\(outcome)")
            }
        }

        @Test func `remembers lines, also those of earlier sessions`() async throws {
            try await withShell(history: "get apple --json\n") { shell, scratch in
                shell.write("\u{1B}[A\n")
                _ = await shell.output(until: #""price":3}"#)
                shell.write(" stats --json\n")
                _ = await shell.output(until: "\"documents\"")
                shell.write("get --json \\\n")
                _ = await shell.output(until: "...> ")
                shell.write("apricot\n")
                _ = await shell.output(until: #""price":2}"#)
                shell.write("exit\n")
                let outcome = await shell.outcome()
                #expect(outcome.status == 0, "\(outcome)")
                let kept = try String(contentsOf: scratch.file("history"), encoding: .utf8)
                #expect(
                    kept == "get apple --json\nget apple --json\nget --json apricot\nexit\n")
            }
        }

        @Test func `goes on after an error, a line given up, and a command interrupted`()
            async throws
        {
            try await withShell { shell, _ in
                shell.write("get none\n")
                let failed = await shell.output(until: "Error: There is no document 'none'")
                #expect(!failed.contains("Line"), "\(failed)")
                _ = await shell.output(until: "shop> ")
                shell.write("delete ap\u{3}")
                _ = await shell.output(until: "^C\r\nshop> ")
                shell.write("watch --since 0\n")
                _ = await shell.output(until: "apricot")
                shell.write("\u{3}")
                _ = await shell.output(until: "--since 2")
                _ = await shell.output(until: "shop> ")
                shell.write("get apple --json\n")
                _ = await shell.output(until: #""price":3}"#)
                shell.write("put {\"id\":\"é\"}\n")
                _ = await shell.output(until: "The shell is read only")
                _ = await shell.output(until: "shop> ")
                shell.write("\u{4}")
                let outcome = await shell.outcome()
                #expect(outcome.status == 0, "\(outcome)")
            }
        }

        @Test func `takes letters of more than one byte for one`() async throws {
            try await withShell("--write") { shell, _ in
                // One letter is taken back.
                shell.write("put {\"id\":\"äé\u{7F}\"}\n")
                _ = await shell.output(until: "added")
                shell.write("get ä --json\n")
                _ = await shell.output(until: #"{"id":"ä"}"#)
                shell.write("exit\n")
                let outcome = await shell.outcome()
                #expect(outcome.status == 0, "\(outcome)")
            }
        }

        @Test func `reads plain lines where the terminal can do no more`() async throws {
            try await withShell(term: "dumb") { shell, scratch in
                shell.write("get apple --json\n")
                _ = await shell.output(until: #""price":3}"#)
                shell.write("exit\n")
                let outcome = await shell.outcome()
                #expect(outcome.status == 0, "\(outcome)")
                #expect(!FileManager.default.fileExists(atPath: scratch.file("history").path))
            }
        }

        @Test(arguments: ["put", "import"])
        func `lets a command end that reads what is typed with one end of file`(command: String)
            async throws
        {
            try await withScratchDirectory("terminal") { scratch in
                let path = scratch.file("shop").path
                let running = try tool.startOnTerminal("\(command) '\(path)' -")
                running.write("{\"id\":\"fig\",\"price\":9}\n")
                running.write("\u{4}")
                let outcome = await running.outcome()
                #expect(outcome.status == 0, "\(outcome)")
                let shown = try await tool.run(["get", path, "fig", "--json"])
                #expect(shown.output.contains(#""price":9}"#), "\(shown)")
            }
        }
    }
#endif
