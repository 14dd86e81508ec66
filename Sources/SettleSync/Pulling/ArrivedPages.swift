/// The pages that came of a pull whose items are being made, which may end in another order.
struct ArrivedPages: Sendable {
    private var count = 0
    /// The number of the first page that was not handed on.
    private var next = 0
    private var made: [Int: AskedPage] = [:]

    /// A page came.
    ///
    /// - Returns: Its number.
    mutating func add() -> Int {
        defer { count += 1 }
        return count
    }

    /// The items of a page are made.
    ///
    /// - Returns: Those that can be handed on, in the order in which they came.
    mutating func made(_ number: Int, _ page: AskedPage) -> [AskedPage] {
        made[number] = page
        var pages: [AskedPage] = []
        while let page = made.removeValue(forKey: next) {
            pages.append(page)
            next += 1
        }
        return pages
    }
}
