import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

/// A cloud of files behind HTTP on loopback, as FooBarCloud might be.
///
/// `GET` and `PUT` of any path. Every file has an ETag; `If-Match` and `If-None-Match: *` are
/// answered with 412 when they do not hold. What it stores outlasts a stop.
actor CloudServer {
    nonisolated let files = CloudFiles()
    private var port = 0
    private var group: ServiceGroup?
    private var task: Task<Void, any Error>?

    /// Starts it, on the port of the first start.
    func start() async throws -> URL {
        var logger = Logger(label: "cloud")
        logger.logLevel = .critical
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: files,
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) },
            logger: logger)
        let group = ServiceGroup(services: [application], logger: logger)
        self.group = group
        task = Task {
            defer { bound.finish() }
            try await group.run()
        }
        for await port in ports {
            self.port = port
            break
        }
        return try #require(URL(string: "http://127.0.0.1:\(port)"))
    }

    /// Stops it; requests under way are finished.
    func stop() async throws {
        await group?.triggerGracefulShutdown()
        try await task?.value
        group = nil
        task = nil
    }
}

/// The files of a cloud, and what it was asked for.
final class CloudFiles: HTTPResponder {
    typealias Context = BasicRequestContext

    /// A file as it was stored.
    struct File {
        var text: String
        var version = 1
        var etag: String { "\"\(version)\"" }
    }

    private struct State {
        var files: [String: File] = [:]
        var log: [String] = []
        var arrivals: [String: Gate] = [:]
        var answers: [String: Gate] = [:]
        var lostAnswers: Set<String> = []
    }
    private let state = Mutex(State())

    subscript(path: String) -> File? { state.withLock { $0.files[path] } }

    /// Every answer: method, path, status.
    var log: [String] { state.withLock { $0.log } }

    /// Keeps uploads of a file on their way until the gate is opened, before they are stored.
    func slowUploads(of path: String) -> Gate {
        state.withLock { state in
            let gate = Gate()
            state.arrivals[path] = gate
            return gate
        }
    }

    /// Keeps answers to uploads of a file back until the gate is opened; the file is stored.
    func slowAnswers(of path: String) -> Gate {
        state.withLock { state in
            let gate = Gate()
            state.answers[path] = gate
            return gate
        }
    }

    /// Breaks the connection in the middle of the next answer to an upload of a file, which is
    /// stored.
    func loseAnswer(of path: String) {
        state.withLock { _ = $0.lostAnswers.insert(path) }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let path = String(request.uri.path.dropFirst())
        guard request.method == .put else { return read(path) }
        let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
        await state.withLock({ $0.arrivals[path] })?.pass()
        let response = write(text, to: path, if: request.headers)
        await state.withLock({ $0.answers[path] })?.pass()
        guard state.withLock({ $0.lostAnswers.remove(path) }) != nil else { return response }
        return Response(
            status: response.status,
            body: ResponseBody(contentLength: 10) { writer in
                try await writer.write(ByteBuffer(string: "half"))
                throw CancellationError()
            })
    }

    private func read(_ path: String) -> Response {
        state.withLock { state in
            let file = state.files[path]
            state.log.append("GET \(path) \(file == nil ? 404 : 200)")
            guard let file else { return Response(status: .notFound) }
            return Response(
                status: .ok, headers: [.eTag: file.etag],
                body: ResponseBody(byteBuffer: ByteBuffer(string: file.text)))
        }
    }

    private func write(_ text: String, to path: String, if headers: HTTPFields) -> Response {
        state.withLock { state in
            let file = state.files[path]
            let mayStore =
                headers[.ifNoneMatch] == "*"
                ? file == nil : headers[.ifMatch].map { $0 == file?.etag } ?? true
            guard mayStore else {
                state.log.append("PUT \(path) 412")
                return Response(status: .preconditionFailed)
            }
            let stored = File(text: text, version: (file?.version ?? 0) + 1)
            state.files[path] = stored
            state.log.append("PUT \(path) 200")
            return Response(status: .ok, headers: [.eTag: stored.etag])
        }
    }
}

/// Keeps those who come waiting until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrived = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    /// Waits until the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let (mayPass, watchers) = state.withLock { state in
                state.hasArrived = true
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.watchers = [] }
                return (state.isOpen, state.watchers)
            }
            if mayPass { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
    }

    /// Waits until somebody has come.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.hasArrived { state.watchers.append(continuation) }
                return state.hasArrived
            }
            if isThere { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
