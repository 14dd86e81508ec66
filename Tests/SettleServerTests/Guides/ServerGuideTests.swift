import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import SettleServer

/// The lines of the guides, run by a shell and curl against a server as people do.
@Suite(.serialized) struct `Guide of the server` {
    /// Where the guides lie, seen from this file.
    private static func guide(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: root.appendingPathComponent("Docs/Guides/\(name)"), encoding: .utf8)
    }

    @Test(.timeLimit(.minutes(60)))
    func `every marked line of the guide does what the guide says`() async throws {
        let script = GuideScript(markdown: try Self.guide("Server.md"))
        #expect(script.steps.count { $0.status != nil } >= 30)
        try await withScratchDirectory("guide") { scratch in
            let directory = scratch.url
            try Data("a picture".utf8).write(to: directory.appendingPathComponent("photo.jpg"))
            let server = try TableServer(
                configuration: ServerConfiguration(
                    directory: directory.appendingPathComponent("tables")),
                logger: TestServer.quiet)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await server.run() }
                let text = script.text.split(
                    separator: "http://127.0.0.1:8080", omittingEmptySubsequences: false
                ).joined(separator: "http://127.0.0.1:\(try await server.boundPort())")
                let ended = try await Self.run(text, in: directory)
                #expect(ended.status == 0, "\(ended.errors)")
                tasks.cancelAll()
            }
            for (number, step) in script.steps.enumerated() {
                let headers = try Self.text(directory, "headers.\(number)")
                let body = try Self.text(directory, "body.\(number)")
                if let fault = step.fault(headers: headers, body: body) {
                    Issue.record("Line \(step.line), \(step.command): \(fault)")
                }
            }
        }
    }

    private static func text(_ directory: URL, _ name: String) throws -> String {
        let data = try? Data(contentsOf: directory.appendingPathComponent(name))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Runs a script to its end.
    private static func run(
        _ script: String, in directory: URL
    ) async throws -> (status: Int32, errors: String) {
        try Data(script.utf8).write(to: directory.appendingPathComponent("script.sh"))
        let errors = directory.appendingPathComponent("errors")
        let ending = try await onThread {
            try ChildProcess.run(
                URL(fileURLWithPath: "/bin/sh"), ["script.sh"], directory: directory,
                errors: .file(errors))
        }
        return (ending.status, try text(directory, "errors"))
    }

    @Test func `a script is taken from the marked blocks only`() {
        let script = GuideScript(
            markdown: """
                ```sh
                rm -rf x
                ```
                <!-- run -->
                ```sh
                T=1

                # A remark.
                curl a \\
                  b
                # 200 [{"a":…},…]
                curl 'x
                y'
                # 204
                ```
                """)
        #expect(script.steps.map(\.command) == ["T=1", "curl a \\\n  b", "curl 'x\ny'"])
        #expect(script.steps.map(\.status) == [nil, 200, 204])
        #expect(script.steps[1].parts == ["[{\"a\":", "},", "]"])
        let step = script.steps[1]
        let head = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
        #expect(step.fault(headers: head, body: "[{\"a\":1},{}]\n") == nil)
        #expect(step.fault(headers: head, body: "[{\"a\":1}]") != nil)
        #expect(step.fault(headers: head, body: "[{\"b\":1},{}]") != nil)
        #expect(step.fault(headers: "HTTP/1.1 404 Not Found", body: "[{\"a\":1},{}]") != nil)
        #expect(script.steps[2].fault(headers: "HTTP/1.1 204 No Content", body: "") == nil)
    }
}
