import Observation
import Settle

extension Live {
    /// Waits until what is shown fulfils a condition, as a view is drawn again with each change.
    func wait(until isFulfilled: (Live) -> Bool) async {
        while !isFulfilled(self) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = (value, error, isLoading)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}
