/// Some items, and where they end.
public struct PullPage: Sendable {
    /// The items, oldest change first.
    ///
    /// - Complexity: Those of a page that is not read yet are made each time they are asked for.
    public var items: [RemoteItem] {
        get {
            switch source {
            case .made(let items): items
            case .unread(_, let make): make()
            }
        }
        set { source = .made(newValue) }
        _modify {
            // Let go of before they are changed, so that the array is not copied.
            var items = items
            source = .made([])
            defer { source = .made(items) }
            yield &items
        }
    }
    /// Where to go on; stored in the same transaction as the items.
    ///
    /// Nil, for a page without items, leaves the token as it is.
    public var token: PullToken?
    /// True when there is nothing more at the moment.
    public var isLast: Bool
    /// How many items the query has from the start of this page on, when the remote said so.
    public var itemCountRemaining: Int?

    private var source: Source

    private enum Source: Sendable {
        case made([RemoteItem])
        case unread(count: Int, make: @Sendable () -> [RemoteItem])
    }

    /// A page.
    public init(
        items: [RemoteItem], token: PullToken?, isLast: Bool, itemCountRemaining: Int? = nil
    ) {
        source = .made(items)
        self.token = token
        self.isLast = isLast
        self.itemCountRemaining = itemCountRemaining
    }

    /// A page that came, and of which nothing was read but where it ends: the next one can be asked for
    /// while its items are made.
    ///
    /// - Parameters:
    ///   - itemCount: How many items it has.
    ///   - token: Where to go on.
    ///   - isLast: True when there is nothing more at the moment.
    ///   - itemCountRemaining: How many items the query has from its start on.
    ///   - make: Makes the items.
    package init(
        itemCount: Int, token: PullToken?, isLast: Bool, itemCountRemaining: Int? = nil,
        make: @escaping @Sendable () -> [RemoteItem]
    ) {
        source = .unread(count: itemCount, make: make)
        self.token = token
        self.isLast = isLast
        self.itemCountRemaining = itemCountRemaining
    }

    /// How many items it has; no item is made.
    var itemCount: Int {
        switch source {
        case .made(let items): items.count
        case .unread(let count, _): count
        }
    }
}

extension PullPage {
    /// The page with its items made, which all describe their attachments, or none of which does.
    func describingAttachments(_ isTrue: Bool) -> PullPage {
        var page = self
        var items = items
        for place in items.indices { items[place].describeAttachments(isTrue) }
        page.items = items
        return page
    }
}

extension PullPage: Hashable {
    /// Whether two pages have the same items and end in the same place.
    public static func == (left: PullPage, right: PullPage) -> Bool {
        (left.token, left.isLast, left.itemCountRemaining)
            == (right.token, right.isLast, right.itemCountRemaining)
            && left.items == right.items
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(items)
        hasher.combine(token)
        hasher.combine(isLast)
        hasher.combine(itemCountRemaining)
    }
}
