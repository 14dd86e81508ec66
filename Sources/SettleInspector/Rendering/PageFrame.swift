import Mustache

/// A whole page: what stands around its blocks, and the blocks.
struct PageFrame: MustacheParent {
    var title: String
    /// The database that it is about; nil when it is about none.
    var databaseName: String?
    /// The menu.
    var tabs: [PageLink] = []
    /// Whether something may be changed.
    var isWritable = false
    /// What all addresses begin with.
    var base = ""
    /// Where the way back to all databases leads; nil when there is one alone.
    var home: String?
    var blocks: [Block]

    func child(named name: String) -> Any? {
        switch name {
        case "title": title
        case "databaseName": databaseName as Any? ?? false
        case "tabs": tabs
        case "hasTabs": !tabs.isEmpty
        case "isWritable": isWritable
        case "base": base
        case "home": home as Any? ?? false
        case "blocks": blocks
        default: nil
        }
    }
}
