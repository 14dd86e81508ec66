import HTTPTypes
import Hummingbird
import Logging
import Settle

// What is said of a request that was not carried out.

extension InspectorResponder {
    /// The page that says why a request was not carried out.
    func page(for error: any Error, _ request: Request) -> Response {
        let problem = Self.problem(for: error)
        if problem.status == .internalServerError {
            // The text of an error may hold something of a document.
            logger.error("inspector", metadata: ["error": "\(type(of: error))"])
        }
        var frame = PageFrame(
            title: problem.status.reasonPhrase, base: base, blocks: [.warning(problem.message)])
        if !problem.isOutside { frame.home = base + "/" }
        return html(frame, status: problem.status)
    }

    private static func problem(for error: any Error) -> PageProblem {
        switch error {
        case let problem as PageProblem: return problem
        case is MalformedForm: return .unusable("The form is malformed.")
        case let error as DatabaseError:
            let status: HTTPResponse.Status =
                switch error.code {
                case .conflict, .documentExists, .indexChanged: .conflict
                case .documentNotFound, .indexNotFound: .notFound
                case .invalidAttachment, .invalidDocument, .invalidDocumentId, .invalidIndex,
                    .unsupportedQuery,
                    .documentTooLarge:
                    .badRequest
                case .readOnly: .forbidden
                case .databaseClosed: .serviceUnavailable
                default: .internalServerError
                }
            return PageProblem(status: status, message: VisibleText.of(error.message))
        default:
            return PageProblem(
                status: .internalServerError, message: VisibleText.of(FailureSentence.of(error)))
        }
    }
}
