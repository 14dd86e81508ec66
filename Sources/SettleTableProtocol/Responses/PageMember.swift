/// The members of a page that is an object.
///
/// Shape: `{"results": array, "count": number}` in version 2, `{"items": array, "count": number,
/// "nextLink": string}` in version 3, null in the place of a link where no page follows.
package enum PageMember {
    package static let results = "results"
    package static let items = "items"
    package static let count = "count"
    package static let nextLink = "nextLink"
}
