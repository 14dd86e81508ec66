import Foundation
import Settle

extension CouchDatabaseResponder {
    /// The revision that a request is about, by its query or the condition in its head.
    ///
    /// - Throws: ``CouchError`` when those are different ones.
    private func revision(_ request: CouchRequest) throws(CouchError) -> String? {
        let condition = request.headers["if-match"]?.filter { $0 != "\"" }
        guard let named = request["rev"] else { return condition }
        guard condition ?? named == named else {
            throw .badRequest("Document rev and etag have different values")
        }
        return named
    }

    /// A request for a document.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The document.
    ///   - shown: A revision that was shown for it and is not stored; a write after it is the first.
    /// - Returns: The answer.
    /// - Throws: ``CouchError``, ``DatabaseError``.
    func document(
        _ request: CouchRequest, _ id: String, over shown: String? = nil
    ) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD": return try await read(request, id)
        case "PUT":
            let newEdits = try request.flag("new_edits", default: true)
            let asked = try revision(request)
            let revision = try await database.put(request, id, newEdits: newEdits) { input in
                if let asked {
                    guard input.revision ?? asked == asked else {
                        throw CouchError.badRequest(
                            "Document rev from request body and query string have different values")
                    }
                    input.revision = asked
                }
                if newEdits, let shown, input.revision == shown { input.revision = nil }
            }
            return made(request, id, revision)
        case "DELETE":
            var input = try CouchInput(text: Array("{\"_deleted\":true}".utf8))
            input.revision = try revision(request)
            try database.checkDeletion(of: id, isAimed: input.revision != nil)
            // Without a revision it is of something that has changed.
            guard input.revision != nil else { throw CouchError.conflict }
            return Self.stored(id, try await database.put(input, id), status: 200)
        case "COPY": return try await copy(request, id)
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,POST,PUT,COPY")
        }
    }

    private func read(_ request: CouchRequest, _ id: String) async throws -> CouchResponse {
        let options = try CouchDocumentOptions(request)
        if let text = request["open_revs"] {
            var wanted: [String]?
            if text != "all" {
                guard let list = try CouchJSON.value(Array(text.utf8)).arrayValue else {
                    throw CouchError.badRequest("open_revs is a list of revisions, or all")
                }
                wanted = list.compactMap(\.stringValue)
            }
            guard request.accepts("multipart/mixed") else {
                return .text(200, try database.openRevisions(id, wanted, options))
            }
            let (parts, type) = try database.openRevisionsInParts(id, wanted, options)
            return try await parts.response(200, type: type)
        }
        if options.attachments, request.accepts("multipart/related") {
            let (parts, type, revision) = try database.documentWithParts(
                id, request["rev"], options)
            let answer = try await parts.response(200, type: type)
            return options.isOfRevision ? answer.with("ETag", "\"\(revision)\"") : answer
        }
        let (text, revision) = try database.document(id, request["rev"], options)
        guard options.isOfRevision else { return .text(200, text) }
        let tag = "\"\(revision)\""
        if request.headers["if-none-match"] == tag {
            return CouchResponse(304, .bytes([])).with("ETag", tag)
        }
        return CouchResponse.text(200, text).with("ETag", tag)
    }

    private func copy(_ request: CouchRequest, _ id: String) async throws -> CouchResponse {
        guard let target = request.headers["destination"] else {
            throw CouchError.badRequest("Destination header is mandatory for COPY.")
        }
        guard !["http://", "https://"].contains(where: target.hasPrefix) else {
            throw CouchError.badRequest("Destination URL must be relative.")
        }
        // All of it is the identifier, slashes too, up to the revision that it follows.
        let to = CouchRequest.decoded(target.prefix { $0 != "?" })
        let last = CouchRequest("PUT", "/" + target.drop { $0 != "?" })["rev"]
        try CouchInput.check(to)
        let copied = try await database.copy(id, try revision(request), to: to, after: last)
        return made(request, to, copied)
    }

    func attachment(
        _ request: CouchRequest, _ id: String, _ name: String
    ) async throws -> CouchResponse {
        switch request.method {
        case "GET", "HEAD":
            return try await content(request, id, name)
        case "PUT":
            let type = request.headers["content-type"] ?? "application/octet-stream"
            try CouchInput.checkName(ofAttachment: name)
            let next = try await database.putAttachment(
                name, of: id, try revision(request), (type, request.upload))
            return made(request, id, next, attachment: [name])
        case "DELETE":
            guard let revision = try revision(request) else { throw CouchError.conflict }
            let next = try await database.setAttachment(name, of: id, revision, nil)
            return Self.stored(id, next, status: 200)
        default: throw CouchError.notAllowed("DELETE,GET,HEAD,PUT")
        }
    }

    /// GET of an attachment, or of a range of it.
    private func content(
        _ request: CouchRequest, _ id: String, _ name: String
    ) async throws -> CouchResponse {
        let (attachment, md5) = try database.attachment(name, of: id, request["rev"])
        let tag = "\"\(md5)\""
        if request.headers["if-none-match"] == tag {
            return CouchResponse(304, .bytes([])).with("ETag", tag)
        }
        let type = MediaType(attachment.contentType)?.text ?? MediaType.anyBytes
        let length = attachment.length
        let isSame = request.headers["if-range"].map { $0 == tag } ?? true
        let range = ByteRange(isSame ? request.headers["range"] : nil, length: length)
        var parts = CouchParts()
        var answer: CouchResponse
        switch range {
        case .whole:
            parts.append(attachment)
            answer = try await parts.response(200, type: type).with("Content-MD5", md5)
        case .part(let part):
            parts.append(attachment, in: part)
            answer = try await parts.response(206, type: type).with(
                "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
        case .unsatisfiable:
            return CouchResponse.failure(CouchError.unsatisfiableRange)
                .with("Content-Range", "bytes */\(length)")
        }
        answer = answer.with("ETag", tag).with("Accept-Ranges", "bytes")
        // Whoever wrote the document chose the type: no page of it is one of this server.
        return answer.with("Content-Security-Policy", "sandbox")
            .with("X-Content-Type-Options", "nosniff")
    }
}
