import Foundation
import HTTPTypes

@testable import SettleServer

/// Requests over a ``RawConnection``, whose client may stop in the midst of them.
struct RawRequest {
    var method: String
    var path: String
    var token: String?
    /// What the head says of the body, whatever is sent of it.
    var length: Int?
    /// What the head says of the body besides.
    var coding = "Content-Type: application/json"

    init(
        _ method: String, _ path: String, token: String? = nil, length: Int? = nil,
        coding: String = "Content-Type: application/json"
    ) {
        self.coding = coding
        self.method = method
        self.path = path
        self.token = token
        self.length = length
    }

    /// The bytes before the body.
    var head: [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nZUMO-API-VERSION: 2.0.0\r\n"
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        if let length { text += "\(coding)\r\nContent-Length: \(length)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}

extension RawConnection {
    /// The status and the headers of the next answer, and what came of its body with them.
    func answerHead() async throws -> (status: Int, head: String, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound])
                return (
                    Int(head.dropFirst(9).prefix(3)) ?? 0, head, Array(text[end.upperBound...].utf8)
                )
            }
            let more = try await receive(1 << 10)
            guard !more.isEmpty else { return (0, text, []) }
            bytes += more
        }
    }
}
