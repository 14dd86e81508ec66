import CosmosModel
import Foundation

/// The model of the service as a process, for clients in other languages.
///
/// It prints its address as JSON, and then answers each line of its input with one of its output:
/// `split PATH RANGE` splits a range of the collection with that path by names, `throttle COUNT MILLISECONDS`
/// refuses that many requests with 429, `cut COUNT` closes the connection of that many after they were carried
/// out, `empty COUNT` empties that many pages, `advance SECONDS` moves the clock on, `count` prints how many
/// requests have come. It ends with its input.
@main
struct CosmosModelServer {
    static func main() async throws {
        let server = ModelServer()
        let address = try await server.start()
        say("{\"url\":\"\(address.absoluteString)\"}")
        while let line = readLine() { say(carryOut(line, server.service)) }
        try await server.stop()
    }

    private static func carryOut(_ line: String, _ service: ModelService) -> String {
        let words = line.split(separator: " ").map(String.init)
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch (words.first, words.count) {
        case ("split", 3):
            return service.withState { $0.splitRange(words[2], ofCollectionAt: words[1]) }
                .joined(separator: " ")
        case ("throttle", 3):
            service.add(
                FaultRule(.throttle(retryAfterMilliseconds: Int(words[2]) ?? 0), count: number))
        case ("cut", 2): service.add(FaultRule(.cutAfter, count: number))
        case ("empty", 2): service.withState { $0.emptyPages = number }
        case ("advance", 2): service.advance(bySeconds: Double(number))
        case ("count", 1): return String(service.log.count)
        default: return "unknown: \(line)"
        }
        return "done"
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
