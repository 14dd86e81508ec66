import HTTPTypes

/// Why a request is not carried out, as a page says it.
struct PageProblem: Error {
    /// The status of the response.
    let status: HTTPResponse.Status
    /// What is wrong and what to do, in sentences.
    let message: String
    /// Whether the database has nothing to do with it, so that no menu of its pages is shown.
    var isOutside = false

    /// A request that only a session may make, without one.
    static let locked = PageProblem(
        status: .unauthorized,
        message:
            "This page needs the address with a token that was printed when the inspector was started. It "
            + "works once; a browser that has used it stays let in until the inspector ends.",
        isOutside: true)

    /// A database whose file is not there any more.
    ///
    /// What is read is the old one, and what is written is lost.
    static func gone(_ name: String) -> PageProblem {
        PageProblem(
            status: .gone,
            message:
                "The database '\(name)' was removed or replaced while it was looked into, so nothing of it can be shown "
                + "or changed here. Start the inspector again to look into the one that is there now.",
            isOutside: true)
    }

    /// A page or an object that is not there.
    static func missing(_ message: String) -> PageProblem {
        PageProblem(status: .notFound, message: message)
    }

    /// A form or a query with something in it that cannot be used.
    static func unusable(_ message: String) -> PageProblem {
        PageProblem(status: .badRequest, message: message)
    }
}
