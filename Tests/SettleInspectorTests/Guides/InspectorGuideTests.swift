import Foundation
import Settle
import TestSupport
import Testing

@testable import SettleInspector

@Suite struct `The guide of the inspector` {
    @Test(.timeLimit(.minutes(60))) func `embeds it into an app in two lines`() async throws {
        let test = try await TestDatabase.open()
        let database = test.database
        let inspector = Inspector(of: database) { address in print("Look into it: \(address)") }
        let running = Task { try await inspector.run() }
        running.cancel()
        _ = try? await running.value
        await test.close()
    }

    @Test func `says how it is configured`() {
        let configuration = InspectorConfiguration(port: 9_000, allowsWriting: true)
        #expect(configuration.port == 9_000 && configuration.allowsWriting)
        #expect(!InspectorConfiguration().allowsWriting)
    }

    @Test func `shows no code that is not run`() throws {
        let code = try GuideCode(of: "Docs/Guides/Inspector.md", runBy: #filePath)
        #expect(code.missing == [])
        #expect(code.lineCount > 2)
    }
}
