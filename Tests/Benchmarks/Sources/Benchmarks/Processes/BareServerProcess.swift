import ArgumentParser
import Foundation
import Hummingbird
import Logging

/// The framework of the server alone, which answers every request with the same bytes.
///
/// In a process of its own, which ends with its standard input.
struct BareServerProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-server-process", abstract: "Answer everything with a file.",
        shouldDisplay: false)

    @Option(help: "The file that holds the answer's body.")
    var body: String

    @Option(help: "The status of the answers.")
    var status = 200

    func run() async throws {
        let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: body)))
        let status = HTTPResponse.Status(code: status)
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
            // What is sent is taken, as by a server that does something with it.
            for try await _ in request.body {}
            return Response(
                status: status,
                headers: [.contentType: "application/json; charset=utf-8"],
                body: ResponseBody(byteBuffer: bytes))
        }
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardOutput.write(Data("\(port)\n".utf8))
            },
            logger: Logger(label: "benchmarks") { _ in SwiftLogNoOpLogHandler() })
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            await ServerProcess.endOfInput()
            group.cancelAll()
        }
    }
}
