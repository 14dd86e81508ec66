"""The official client library of Cosmos DB against the model of the service in the tests.

check.py MODEL: starts the program MODEL (Tests/CosmosModelServer), uses it as an app would, and ends it.
What is computed on both sides, such as the hash of a partition key, is compared this way.
"""

import json
import subprocess
import sys

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey, exceptions

KEY = (
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
)
CITIES = ["Bonn", "Köln", "Ulm", "Jena", "Kiel", "Trier", "Mainz", "Worms"]


class Model:
    """The process of the model."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url = json.loads(self.process.stdout.readline())["url"]

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def refused(status, call, *arguments, **options):
    """Checks that a call is refused with a status."""
    try:
        call(*arguments, **options)
    except exceptions.CosmosHttpResponseError as error:
        assert error.status_code == status, (status, error)
        return error
    raise AssertionError(f"{call} was not refused with {status}")


def check_items(database):
    items = database.create_container("items", PartitionKey("/city"))
    first = items.create_item({"id": "1", "city": "Bonn", "count": 1, "tags": ["a"]})
    refused(409, items.create_item, {"id": "1", "city": "Bonn"})
    items.create_item({"id": "1", "city": "Ulm"})
    read = items.read_item("1", "Bonn")
    assert read == first and read["_etag"] == first["_etag"], read
    refused(404, items.read_item, "1", "Kiel")
    replaced = items.replace_item(first, {**first, "count": 2})
    assert replaced["_etag"] != first["_etag"] and replaced["_rid"] == first["_rid"]
    refused(
        412,
        items.replace_item,
        first,
        {**first, "count": 3},
        etag=first["_etag"],
        match_condition=MatchConditions.IfNotModified,
    )
    assert items.upsert_item({"id": "1", "city": "Bonn", "count": 4})["count"] == 4
    assert items.upsert_item({"id": "2", "city": "Bonn"})["id"] == "2"
    patched = items.patch_item(
        "1",
        "Bonn",
        [
            {"op": "incr", "path": "/count", "value": 3},
            {"op": "add", "path": "/tags", "value": ["a"]},
            {"op": "add", "path": "/tags/-", "value": "b"},
            {"op": "set", "path": "/name", "value": "x"},
        ],
    )
    assert (patched["count"], patched["tags"], patched["name"]) == (7, ["a", "b"], "x")
    refused(
        412,
        items.patch_item,
        "1",
        "Bonn",
        [{"op": "remove", "path": "/name"}],
        filter_predicate="from c where c.count = 8",
    )
    items.delete_item("2", "Bonn")
    refused(404, items.delete_item, "2", "Bonn")
    # Without a member for the key, the key is none.
    items.create_item({"id": "3"})
    assert [item["id"] for item in items.query_items(
        "SELECT * FROM c WHERE NOT IS_DEFINED(c.city)", enable_cross_partition_query=True)] == ["3"]
    refused(413, items.create_item, {"id": "4", "city": "Bonn", "text": "x" * (2 << 20)})


def filled(database, name, count=100):
    """A collection of several ranges."""
    container = database.create_container(
        name, PartitionKey("/city"), offer_throughput=40_000
    )
    for number in range(count):
        container.create_item(
            {"id": str(number), "city": CITIES[number % 8], "n": number, "half": number // 2}
        )
    return container


def check_queries(database, model):
    items = filled(database, "queried")
    assert len(list(items.read_feed_ranges())) == 4

    def one(query, **options):
        return list(items.query_items(query, partition_key="Köln", **options))

    def all_of(query, **options):
        return list(items.query_items(query, enable_cross_partition_query=True, **options))

    below = {"name": "@n", "value": 50}
    assert [item["n"] for item in one(
        "SELECT * FROM c WHERE c.n < @n ORDER BY c.n DESC", parameters=[below]
    )] == [49, 41, 33, 25, 17, 9, 1]
    assert one("SELECT VALUE COUNT(1) FROM c") == [13]
    assert one("SELECT c.city, COUNT(1) AS n, AVG(c.n) AS mean FROM c GROUP BY c.city") == [
        {"city": "Köln", "n": 13, "mean": 49}
    ]
    assert sorted(all_of("SELECT VALUE c.n FROM c WHERE c.n < @n", parameters=[below])) == list(
        range(50)
    )
    assert all_of("SELECT VALUE c.n FROM c ORDER BY c.n", max_item_count=7) == list(range(100))
    assert [item["n"] for item in all_of("SELECT c.n FROM c ORDER BY c.n DESC")] == list(
        range(99, -1, -1)
    )
    assert all_of("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n DESC") == [99, 98, 97]
    assert all_of("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 5 LIMIT 4") == [5, 6, 7, 8]
    assert len(all_of("SELECT TOP 3 * FROM c")) == 3
    assert all_of("SELECT VALUE COUNT(1) FROM c") == [100]
    assert all_of("SELECT VALUE SUM(c.n) FROM c WHERE c.n < 10") == [45]
    assert all_of("SELECT VALUE MIN(c.n) FROM c") == [0]
    assert all_of("SELECT VALUE MAX(c.n) FROM c") == [99]
    assert all_of("SELECT VALUE AVG(c.n) FROM c") == [49.5]
    assert sorted(all_of("SELECT DISTINCT VALUE c.city FROM c")) == sorted(CITIES)
    halves = [item["half"] for item in all_of("SELECT c.half, c.n FROM c ORDER BY c.half")]
    assert halves == [number // 2 for number in range(100)]
    # Page by page, with the continuation of the page before, and pages that are empty.
    pages, token = [], None
    while True:
        model.tell("empty 1")
        pager = items.query_items(
            "SELECT * FROM c", enable_cross_partition_query=True, max_item_count=9
        ).by_page(token)
        # The library passes over pages that are empty.
        page = next(pager, None)
        if page is None:
            break
        pages.append([item["n"] for item in page])
        token = pager.continuation_token
        if not token:
            break
    assert sorted(sum(pages, [])) == list(range(100))
    assert max(map(len, pages)) <= 9
    model.tell("empty 0")


def check_batches(database):
    items = database.create_container("batched", PartitionKey("/city"))
    results = items.execute_item_batch(
        [
            ("create", ({"id": "1", "city": "Bonn"},)),
            ("upsert", ({"id": "2", "city": "Bonn"},)),
            ("replace", ("1", {"id": "1", "city": "Bonn", "n": 1})),
            ("patch", ("1", [{"op": "incr", "path": "/n", "value": 1}])),
            ("read", ("1",)),
            ("delete", ("2",)),
        ],
        partition_key="Bonn",
    )
    assert [result["statusCode"] for result in results] == [201, 201, 200, 200, 200, 204]
    assert results[4]["resourceBody"]["n"] == 2
    try:
        items.execute_item_batch(
            [("create", ({"id": "3", "city": "Bonn"},)), ("create", ({"id": "1", "city": "Bonn"},))],
            partition_key="Bonn",
        )
        raise AssertionError("A batch with a conflict was not refused.")
    except exceptions.CosmosBatchOperationError as error:
        assert error.error_index == 1
        assert [one["statusCode"] for one in error.operation_responses] == [424, 409]
    refused(404, items.read_item, "3", "Bonn")


def check_changes(database, model):
    items = filled(database, "changed", 60)

    def changes(**options):
        found = items.query_items_change_feed(**options)
        return [item["n"] for item in found], items.client_connection.last_response_headers["etag"]

    found, token = changes(start_time="Beginning")
    assert sorted(found) == list(range(60)), found
    items.upsert_item({"id": "5", "city": CITIES[5], "n": 105})
    items.delete_item("6", CITIES[6])
    assert model.tell("split dbs/shop/colls/changed 1") == "4 5"
    items.upsert_item({"id": "7", "city": CITIES[7], "n": 107})
    found, token = changes(continuation=token)
    assert sorted(found) == [105, 107], found
    assert changes(continuation=token)[0] == []
    found, _ = changes(start_time="Beginning", partition_key="Ulm")
    assert found == list(range(2, 60, 8)), found


def check_splits(database, model):
    items = filled(database, "split")
    pages = items.query_items(
        "SELECT VALUE c.n FROM c ORDER BY c.n", enable_cross_partition_query=True, max_item_count=5
    )
    assert [next(pages) for _ in range(20)] == list(range(20))
    plain = items.query_items(
        "SELECT VALUE c.n FROM c", enable_cross_partition_query=True, max_item_count=5
    ).by_page()
    found = list(next(plain))
    for number in range(4):
        assert model.tell(f"split dbs/shop/colls/split {number}")
    assert list(items.query_items(
        "SELECT VALUE COUNT(1) FROM c", enable_cross_partition_query=True)) == [100]
    for page in plain:
        found += page
    assert sorted(found) == list(range(100))
    assert len(list(items.read_feed_ranges(force_refresh=True))) == 8
    assert items.read_item("8", "Bonn")["n"] == 8
    assert list(items.query_items(
        "SELECT VALUE c.n FROM c ORDER BY c.n", enable_cross_partition_query=True,
        max_item_count=5)) == list(range(100))


def check_hierarchy(database):
    items = database.create_container(
        "tree", PartitionKey(["/country", "/city"], kind="MultiHash"), offer_throughput=30_000
    )
    for number in range(24):
        items.create_item(
            {"id": str(number), "country": "ABC"[number % 3], "city": number % 4, "n": number}
        )
    assert items.read_item("5", ["C", 1])["n"] == 5
    refused(404, items.read_item, "5", ["C", 2])
    assert list(items.query_items("SELECT VALUE c.n FROM c", partition_key=["C", 1])) == [5, 17]
    found = items.query_items("SELECT VALUE c.n FROM c", partition_key=["C"])
    assert sorted(found) == list(range(2, 24, 3))


def check_times(database, model):
    items = database.create_container("brief", PartitionKey("/city"), default_ttl=100)
    items.create_item({"id": "1", "city": "Bonn"})
    items.create_item({"id": "2", "city": "Bonn", "ttl": 1_000})
    items.create_item({"id": "3", "city": "Bonn", "ttl": -1})
    model.tell("advance 500")
    refused(404, items.read_item, "1", "Bonn")
    assert [item["id"] for item in items.read_all_items()] == ["2", "3"]
    items.create_item({"id": "1", "city": "Bonn"})


def check_faults(database, model):
    items = database.create_container("tried", PartitionKey("/city"))
    before = int(model.tell("count"))
    model.tell("throttle 3 20")
    items.create_item({"id": "1", "city": "Bonn"})
    assert int(model.tell("count")) == before + 4
    # More often than the library tries.
    model.tell("throttle 100 1")
    refused(429, items.read_item, "1", "Bonn")


def check_rights(client, database, model):
    items = database.get_container_client("items")
    user = database.create_user({"id": "ann"})
    permission = user.create_permission(
        {"id": "reads", "permissionMode": "Read", "resource": "dbs/shop/colls/items"}
    )
    token = permission.properties["_token"]
    guest = CosmosClient(model.url, {"dbs/shop/colls/items": token})
    seen = guest.get_database_client("shop").get_container_client("items")
    assert seen.read_item("1", "Bonn") == items.read_item("1", "Bonn")
    refused(403, seen.upsert_item, {"id": "9", "city": "Bonn"})
    refused(401, CosmosClient, model.url, KEY.replace("C2", "D2"))
    assert [one["id"] for one in client.list_databases()] == ["shop"]
    assert database.get_container_client("queried").get_throughput().offer_throughput == 40_000


def main(program):
    model = Model(program)
    try:
        client = CosmosClient(model.url, KEY)
        database = client.create_database("shop")
        refused(409, client.create_database, "shop")
        check_items(database)
        check_queries(database, model)
        check_batches(database)
        check_changes(database, model)
        check_splits(database, model)
        check_hierarchy(database)
        check_rights(client, database, model)
        check_times(database, model)
        check_faults(database, model)
        requests = model.tell("count")
    finally:
        status = model.end()
    assert status == 0, status
    print(f"The official client library works with the model: {requests} requests.")


if __name__ == "__main__":
    main(sys.argv[1])
