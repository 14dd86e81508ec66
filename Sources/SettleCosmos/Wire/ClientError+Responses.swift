import Foundation
import HTTPTypes
import SettleDocuments
import SettleREST
import SettleSync

extension Cosmos.ClientError {
    /// The error that a response with a status stands for.
    ///
    /// - Parameters:
    ///   - response: A response whose status says that the request was refused.
    ///   - subject: What was asked, as in "read the document 'a' of the collection 'b'".
    init(_ response: FullHTTPResponse, to subject: String) {
        let metadata = Cosmos.ResponseMetadata(response.head.headerFields)
        let status = response.head.status.code
        let (kind, hint) = Self.meaning(of: status, metadata.subStatus)
        let reason = metadata.subStatus.map { "\(status).\($0)" } ?? "\(status)"
        let said = Self.sentence(of: response).map { " It says: \($0)" } ?? ""
        self.init(
            kind, "The service refused to \(subject) (\(reason)). \(hint)\(said)",
            statusCode: status, subStatus: metadata.subStatus, activityId: metadata.activityId,
            requestCharge: metadata.requestCharge, retryAfter: metadata.retryAfter)
    }

    /// The error that the result of one operation of a batch stands for.
    ///
    /// - Parameters:
    ///   - result: The result; nil when the response has none that says why.
    ///   - subject: What was asked.
    ///   - metadata: What the response says about itself.
    init(_ result: Cosmos.BatchResult?, to subject: String, _ metadata: Cosmos.ResponseMetadata) {
        let status = result?.statusCode ?? 424
        let (kind, hint) = Self.meaning(of: status, result?.subStatus)
        let reason = result?.subStatus.map { "\(status).\($0)" } ?? "\(status)"
        self.init(
            kind, "The service refused to \(subject) (\(reason)). \(hint)", statusCode: status,
            subStatus: result?.subStatus, activityId: metadata.activityId,
            requestCharge: metadata.requestCharge,
            retryAfter: result?.retryAfter ?? metadata.retryAfter)
    }

    /// The error of the operation that a batch failed for; nil when none has failed.
    init?(ofBatch results: [Cosmos.BatchResult], _ metadata: Cosmos.ResponseMetadata) {
        let failed =
            results.firstIndex { !$0.isSuccess && !$0.isDependent }
            ?? results.firstIndex { !$0.isSuccess }
        guard let failed else { return nil }
        self.init(
            results[failed],
            to:
                "carry out operation \(failed + 1) of a batch of \(results.count), and nothing of it "
                + "was carried out,", metadata)
    }

    /// What a status means, and what to do about it.
    ///
    /// > Source: the status codes of the Cosmos DB REST API, and the sub-statuses of its public SDKs.
    private static func meaning(of status: Int, _ subStatus: Int?) -> (Kind, String) {
        switch (status, subStatus) {
        case (400, 1001):
            (.badRequest, "The partition key is not that of the document; check the key path.")
        case (400, _):
            (.badRequest, "Check the query, the body and the partition key.")
        case (401, _):
            (.unauthorized, "Check the key or token, and the clock of this device.")
        case (403, 3):
            (.forbidden, "This region does not take writes now.")
        case (403, 5300):
            (.forbidden, "A token of Microsoft Entra may not do this; use a key.")
        case (403, 1014):
            (.entityTooLarge, "The logical partition is full; choose another partition key.")
        case (403, 1013):
            (.forbidden, "The collection is still being created; try again soon.")
        case (403, _):
            (
                .forbidden,
                "The permission does not cover this, or it is expired, or a quota is used up."
            )
        case (404, 1002):
            (.notFound, "The replica has not yet seen what this session wrote; try again.")
        case (404, _):
            (.notFound, "There is no such resource; check the ids and the partition key.")
        case (408, _):
            (.requestTimeout, "It did not finish in time; try again.")
        case (409, _):
            (.conflict, "There is one with this id already; replace it, or use createOrReplace.")
        case (410, 1000):
            (.gone, "The collection was replaced by another one of its name.")
        case (410, _):
            (.gone, "The range of partition keys was split; read the ranges again.")
        case (412, _):
            (.preconditionFailed, "It has another version than was expected; read it again.")
        case (413, _):
            (.entityTooLarge, "A document may have 2 MB; put large content elsewhere.")
        case (423, _):
            (.forbidden, "It is locked.")
        case (429, _):
            (.tooManyRequests, "The request units are used up; wait, or raise the throughput.")
        case (449, _):
            (.retryWith, "Another write was under way; try again.")
        case (503, _):
            (.serviceUnavailable, "It is not available; try again later.")
        case (500..., _):
            (.internalServerError, "It failed; try again later.")
        default:
            (.unknownError, "This status is not known here.")
        }
    }

    /// What the service says is wrong, in its own words, on one line; nil when it says nothing readable.
    private static func sentence(of response: FullHTTPResponse) -> String? {
        guard response.body.count <= sentenceBodySizeMax,
            let body = try? JSONText.value(from: response.body, largeIntegers: .rounded),
            let message = body["message"]?.stringValue
        else { return nil }
        // The first line is the reason; below are the request's address and the statistics.
        let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let text = String(String(String.UnicodeScalarView(shown)).prefix(sentenceLengthMax))
        return text.isEmpty ? nil : text
    }

    private static let sentenceBodySizeMax = 64 << 10
    private static let sentenceLengthMax = 300

    /// The error that a request without a response stands for.
    init(_ error: ReplicationError, to subject: String) {
        let kind: Kind
        switch error.code {
        case .cancelled: kind = .cancelled
        case .unreachable, .busy, .serverFailed: kind = .unreachable
        case .responseTooLarge, .protocolViolation: kind = .unreadableResponse
        case .unauthorized: kind = .unauthorized
        case .misconfigured: kind = .configureError
        default: kind = .internalError
        }
        self.init(
            kind, "It was not possible to \(subject). \(error.message)",
            retryAfter: error.retryAfter, cause: error)
        isUnsent = error.isUnsent
    }
}
