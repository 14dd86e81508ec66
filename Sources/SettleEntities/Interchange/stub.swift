public import Foundation
extension Datastore { public func decode(json: Data, date: Date? = nil) async throws {} }
