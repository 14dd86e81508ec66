import Foundation
import Settle

extension Authenticator {
    /// Whether a token is good and has a claim that is true.
    ///
    /// Without tokens there is no claim, so a server that lets everybody in grants nothing.
    func grant(of claim: String, to token: String) async -> MountedPages.Grant {
        guard keys != nil else { return .refused("This server looks at no tokens.") }
        do {
            let sender = try await sender(showing: token)
            guard sender.claims?[claim] == .bool(true) else {
                return .refused("The token does not have the claim '\(claim)', which must be true.")
            }
            return .granted(until: sender.expires.map { Date(timeIntervalSince1970: $0) })
        } catch {
            return .refused(error.message)
        }
    }
}
