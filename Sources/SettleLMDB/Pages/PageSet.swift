/// Numbers of pages that were met.
///
/// A bit for each page inside the file, so that memory is bounded by the file and not by what it
/// says; the few free pages behind its end are kept one by one.
struct PageSet {
    private var bits: [UInt64]
    private let count: UInt64
    private var beyond: Set<UInt64> = []

    /// - Parameter count: Number of pages that the file really has.
    init(count: UInt64) {
        self.count = count
        bits = [UInt64](repeating: 0, count: Int(count / 64) + 1)
    }

    /// Adds a number; false when it was there.
    mutating func insert(_ page: UInt64) -> Bool {
        guard page < count else { return beyond.insert(page).inserted }
        let mask = UInt64(1) << (page % 64)
        let index = Int(page / 64)
        guard bits[index] & mask == 0 else { return false }
        bits[index] |= mask
        return true
    }
}
