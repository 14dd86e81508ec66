/// Azure Cosmos DB (SQL API): the namespace of its client and of everything that the client takes and gives.
///
/// The types are nested, because an app has a `Database` and a `Document` already. Begin with ``Client``.
public enum Cosmos {}
