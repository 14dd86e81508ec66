import Foundation
import Settle
import SettleOutbox

struct PutRecipe: OutboxOperation {
    static let operationName = "put-recipe"
    var recipeId: String
}

struct PutPhoto: OutboxOperation {
    static let operationName = "put-photo"
    var recipeId: String
    var name: String
}

/// Recipes with photos; the second example of the guide.
struct RecipeBook: PipelineDelegate {
    let database: Database
    let cloud: FooBarCloud
    /// The pipeline that photos go through.
    var photoPipeline = "photos"

    func open() async throws -> Outbox {
        try await database.openOutbox(
            OutboxConfiguration(
                operations: [PutRecipe.self, PutPhoto.self],
                pipelines: [
                    PipelineConfiguration(delegate: self),
                    PipelineConfiguration("photos", maxConcurrentOperationCount: 2, delegate: self),
                ]))
    }

    func save(_ recipe: Document) async throws {
        try await database.write { transaction in
            try transaction.save(recipe)
            try transaction.outbox.add(PutRecipe(recipeId: recipe.id), about: [recipe.id])
        }
    }

    func addPhoto(_ photo: DocumentAttachment, to recipeId: String) async throws {
        try await database.write { transaction in
            guard var recipe = try transaction.document(recipeId) else { return }
            recipe.attachments.append(photo)
            try transaction.save(recipe)
            try transaction.outbox.add(
                PutPhoto(recipeId: recipeId, name: photo.name), pipeline: photoPipeline,
                about: [recipeId])
        }
    }

    func start(
        _ operation: QueuedOperation, in pipeline: Pipeline
    ) async throws -> OperationOutcome {
        if let put = try operation.operation(as: PutRecipe.self) {
            let path = "recipes/\(put.recipeId).json"
            guard let recipe = try await database.fetchDocument(put.recipeId) else {
                return .skipped()
            }
            return try await send(recipe.toJSON(), to: path)
        }
        if let put = try operation.operation(as: PutPhoto.self) {
            let recipe = try await database.fetchDocument(put.recipeId)
            let photo = recipe?.attachments.first { $0.name == put.name }
            guard let photo else { return .skipped() }
            return try await send(photo.data(), to: "photos/\(put.recipeId)/\(put.name)")
        }
        return .skipped()
    }

    private func send(_ file: Data, to path: String) async throws -> OperationOutcome {
        let etag = try await cloud.put(file, to: path, over: nil)
        // Nobody else writes these files: one that is there is the one that we have sent.
        return etag == nil ? .skipped() : .completed
    }
}
