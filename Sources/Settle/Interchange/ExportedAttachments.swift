public import Foundation

/// What becomes of the content of attachments in an export.
public enum ExportedAttachments: Sendable, Hashable {
    /// It stands in the export itself, in base64, each content once or a few times.
    case inline
    /// It is written to files in this directory, each named by its digest.
    ///
    /// The directory is made if it is not there; files that are there already and hold the right
    /// content are left as they are. A directory beside the export is found again by the import.
    case directory(URL)
    /// It is left out: attachments are described only, and their content can be provided later.
    case described
}
