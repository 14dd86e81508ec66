import HTTPTypes
import SettleREST

/// How many bytes HTTP/1.1 takes, without what a transport adds of its own.
enum WireSize {
    static func bytes(of request: HTTPRequest) -> Int {
        let line = "\(request.method.rawValue) \(request.path ?? "") HTTP/1.1\r\n"
        return line.utf8.count + "Host: \(request.authority ?? "")\r\n".utf8.count
            + bytes(of: request.headerFields)
    }

    static func bytes(of answer: FullHTTPResponse) -> Int {
        "HTTP/1.1 200 OK\r\nContent-Length: \(answer.body.count)\r\n".utf8.count
            + bytes(of: answer.head.headerFields) + answer.body.count
    }

    private static func bytes(of fields: HTTPFields) -> Int {
        fields.reduce(2) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }
}
