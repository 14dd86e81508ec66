// The values a document is made of are part of this module's interface.
@_exported public import SettleDocuments
