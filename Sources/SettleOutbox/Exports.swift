// Documents and databases are part of this module's interface: it is imported alone.
@_exported public import Settle
