import Mustache

/// The templates, which are parts of the program.
struct TemplateLibrary: Sendable {
    private let library: MustacheLibrary

    /// Reads them.
    init() {
        MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
        var library = MustacheLibrary()
        let sources = [
            "page": PackageResources.page_mustache, "block": PackageResources.block_mustache,
            "table": PackageResources.table_mustache, "form": PackageResources.form_mustache,
            "tree": PackageResources.tree_mustache,
        ]
        for (name, bytes) in sources {
            // Each says itself how its text is escaped.
            let text =
                "{{% CONTENT_TYPE:\(HTMLText.name)}}" + String(decoding: bytes, as: UTF8.self)
            do {
                try library.register(text, named: name)
            } catch {
                preconditionFailure("The template '\(name)' is part of the program: \(error)")
            }
        }
        self.library = library
    }

    /// A whole page.
    func render(_ page: PageFrame) -> String {
        guard let text = library.render(page, withTemplate: "page") else {
            preconditionFailure("The template of pages is part of the program.")
        }
        return text
    }
}
