"""Clients of CouchDB by others against `settle serve --couchdb-port`.

check.py ADDRESS: the official library of Cloudant, and CouchDB-Python with its tools dump, load and replicate, use a
server that lets in everybody, as apps would. check.py ADDRESS SECRET-FILE: they show tokens to one that asks for them.
"""

import email
import io
import pathlib
import sys
import threading

import couchdb
import jwt
from couchdb.tools import dump, load, replicate
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import (
    BasicAuthenticator,
    BearerTokenAuthenticator,
    NoAuthAuthenticator,
)
from ibmcloudant.cloudant_v1 import CloudantV1
from ibmcloudant.couchdb_session_authenticator import CouchDbSessionAuthenticator


def refused(status, call, *arguments, **options):
    """Checks that a call is refused with a status."""
    try:
        call(*arguments, **options)
    except ApiException as error:
        assert error.status_code == status, (status, error)
        return error
    raise AssertionError(f"{call} was not refused with {status}")


def check_documents(client):
    client.put_database(db="cities")
    refused(412, client.put_database, db="cities")
    first = client.put_document(db="cities", doc_id="bonn", document={"n": 1, "id": "own"}).get_result()
    read = client.get_document(db="cities", doc_id="bonn").get_result()
    assert read == {"_id": "bonn", "_rev": first["rev"], "n": 1, "id": "own"}, read
    refused(409, client.put_document, db="cities", doc_id="bonn", document={"n": 2})
    second = client.put_document(
        db="cities", doc_id="bonn", document={"n": 2}, rev=first["rev"]
    ).get_result()
    assert second["rev"].startswith("2-")
    refused(404, client.get_document, db="cities", doc_id="ulm")
    posted = client.post_document(db="cities", document={"_id": "köln", "n": 3}).get_result()
    assert posted["id"] == "köln", posted
    assert client.head_document(db="cities", doc_id="köln").get_status_code() == 200
    many = client.post_bulk_docs(
        db="cities", bulk_docs={"docs": [{"_id": f"d{n}", "n": n} for n in range(20)]}
    ).get_result()
    assert len(many) == 20 and all(row["ok"] for row in many)
    listed = client.post_all_docs(db="cities", include_docs=True, start_key="d0", end_key="d2").get_result()
    assert [row["id"] for row in listed["rows"]][:3] == ["d0", "d1", "d10"], listed
    client.delete_document(db="cities", doc_id="d0", rev=many[0]["rev"])
    refused(404, client.get_document, db="cities", doc_id="d0")
    info = client.get_database_information(db="cities").get_result()
    assert info["doc_count"] == 21 and info["doc_del_count"] == 1, info


def check_conflicts(client):
    given = [
        {
            "_id": "c",
            "_rev": f"2-{digit * 32}",
            "_revisions": {"start": 2, "ids": [digit * 32, "0" * 32]},
            "v": digit,
        }
        for digit in "ab"
    ]
    answer = client.post_bulk_docs(db="cities", bulk_docs={"docs": given, "new_edits": False})
    assert answer.get_result() == []
    read = client.get_document(db="cities", doc_id="c", conflicts=True).get_result()
    assert read["v"] == "b" and read["_conflicts"] == ["2-" + "a" * 32], read
    missing = client.post_revs_diff(
        db="cities", document_revisions={"c": ["2-" + "a" * 32, "3-" + "c" * 32]}
    ).get_result()
    assert missing["c"]["missing"] == ["3-" + "c" * 32], missing
    got = client.post_bulk_get(
        db="cities", docs=[{"id": "c", "rev": "2-" + "a" * 32}], revs=True
    ).get_result()
    assert got["results"][0]["docs"][0]["ok"]["v"] == "a", got
    client.delete_document(db="cities", doc_id="c", rev="2-" + "a" * 32)
    read = client.get_document(db="cities", doc_id="c", conflicts=True).get_result()
    assert "_conflicts" not in read, read


def check_attachments(client):
    document = client.get_document(db="cities", doc_id="bonn").get_result()
    stored = client.put_attachment(
        db="cities", doc_id="bonn", attachment_name="photo", attachment=io.BytesIO(b"\x00\x01" * 5000),
        content_type="image/x", rev=document["_rev"],
    ).get_result()
    content = client.get_attachment(db="cities", doc_id="bonn", attachment_name="photo").get_result()
    assert content.content == b"\x00\x01" * 5000
    described = client.get_document(db="cities", doc_id="bonn").get_result()["_attachments"]["photo"]
    assert described["length"] == 10000 and described["stub"] and described["digest"].startswith("md5-")
    part = client.get_attachment(
        db="cities", doc_id="bonn", attachment_name="photo", range="bytes=1-4"
    )
    assert part.get_status_code() == 206 and part.get_result().content == b"\x01\x00\x01\x00"
    check_parts(client, stored["rev"])
    client.delete_attachment(db="cities", doc_id="bonn", attachment_name="photo", rev=stored["rev"])
    refused(404, client.get_attachment, db="cities", doc_id="bonn", attachment_name="photo")


def check_parts(client, revision):
    """Reads a document with its attachment behind it, and stores it so under another name."""
    whole = client.get_document_as_related(db="cities", doc_id="bonn", attachments=True).get_result()
    kind, content = whole.headers["content-type"], whole.content
    message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content)
    document, photo = message.get_payload()
    assert photo.get_filename() == "photo" and photo.get_payload(decode=True) == b"\x00\x01" * 5000
    assert '"follows":true' in document.get_payload() and revision in document.get_payload()
    copy = content.replace(b'"_id":"bonn"', b'"_id":"copy"').replace(
        b'"_rev":"' + revision.encode() + b'",', b""
    )
    client.put_document(db="cities", doc_id="copy", document=copy, content_type=kind)
    read = client.get_attachment(db="cities", doc_id="copy", attachment_name="photo").get_result()
    assert read.content == b"\x00\x01" * 5000
    stub = client.get_document(db="cities", doc_id="copy").get_result()
    client.delete_document(db="cities", doc_id="copy", rev=stub["_rev"])


def check_find(client):
    made = client.post_index(
        db="cities", index={"fields": [{"n": "asc"}]}, ddoc="places", name="byN", type="json"
    ).get_result()
    assert made == {"result": "created", "id": "_design/places", "name": "byN"}, made
    found = client.post_find(
        db="cities", selector={"n": {"$gt": 16}}, sort=[{"n": "desc"}], fields=["_id", "n"], limit=2
    ).get_result()
    assert [row["n"] for row in found["docs"]] == [19, 18], found
    rest = client.post_find(
        db="cities", selector={"n": {"$gt": 16}}, sort=[{"n": "desc"}], limit=2, bookmark=found["bookmark"]
    ).get_result()
    assert [row["n"] for row in rest["docs"]] == [17], rest
    plan = client.post_explain(db="cities", selector={"n": 3}).get_result()
    assert plan["index"]["name"] == "byN", plan
    assert len(client.get_indexes_information(db="cities").get_result()["indexes"]) == 2
    rows = client.post_view(
        db="cities", ddoc="places", view="byN", start_key=3, end_key=5, include_docs=True
    ).get_result()["rows"]
    assert [row["key"] for row in rows] == [3, 3, 4, 5] and rows[0]["doc"]["n"] == 3, rows
    many = client.post_view_queries(
        db="cities", ddoc="places", view="byN", queries=[{"key": 4}, {"descending": True, "limit": 1}]
    ).get_result()["results"]
    assert [len(answer["rows"]) for answer in many] == [1, 1], many
    refused(404, client.post_view, db="cities", ddoc="places", view="none")
    refused(400, client.post_view, db="cities", ddoc="places", view="byN", reduce=True)
    changes = client.post_changes(
        db="cities", filter="_selector", selector={"n": {"$gte": 18}}
    ).get_result()["results"]
    assert [row["id"] for row in changes] == ["d18", "d19"], changes
    designs = client.post_design_docs(db="cities").get_result()["rows"]
    assert [row["id"] for row in designs] == ["_design/places"], designs
    client.delete_index(db="cities", ddoc="places", type="json", index="byN")
    refused(404, client.delete_index, db="cities", ddoc="places", type="json", index="byN")


def check_changes(client):
    changes = client.post_changes(db="cities", style="all_docs", include_docs=True).get_result()
    assert len({row["id"] for row in changes["results"]}) == len(changes["results"]) == 24, changes
    waited = []
    reader = threading.Thread(
        target=lambda: waited.append(
            client.post_changes(
                db="cities", feed="longpoll", since=changes["last_seq"], timeout=20000
            ).get_result()
        )
    )
    reader.start()
    client.put_document(db="cities", doc_id="late", document={})
    reader.join(timeout=30)
    assert [row["id"] for row in waited[0]["results"]] == ["late"], waited
    local = client.put_local_document(db="cities", doc_id="mark", document={"at": 1}).get_result()
    assert local["rev"] == "0-1"
    assert client.get_local_document(db="cities", doc_id="mark").get_result()["at"] == 1


def check_python(address):
    server = couchdb.Server(address)
    assert "cities" in list(server)
    database = server.create("words")
    database["one"] = {"n": 1}
    document = database["one"]
    document["n"] = 2
    database.save(document)
    stale = dict(document, _rev="1-" + "0" * 32)
    try:
        database.save(stale)
        raise AssertionError("A stale revision was accepted.")
    except couchdb.http.ResourceConflict:
        pass
    database.put_attachment(document, "text", "a.txt", "text/plain")
    assert database.get_attachment("one", "a.txt").read() == b"text"
    assert [ok for ok, _, _ in database.update([{"_id": f"w{n}", "n": n} for n in range(5)])] == [True] * 5
    assert sorted(database) == ["one"] + [f"w{n}" for n in range(5)]
    assert [row.id for row in database.view("_all_docs", startkey="w1", limit=2)] == ["w1", "w2"]
    assert len(database.changes()["results"]) == 6
    dumped = io.BytesIO()
    dump.dump_db(address + "/words", output=dumped)
    dumped.seek(0)
    server.create("again")
    load.load_db(dumped, address + "/again")
    again = server["again"]
    assert sorted(again) == sorted(database) and again["one"]["n"] == 2
    assert again.get_attachment("one", "a.txt").read() == b"text"
    del server["again"]
    assert "again" not in server
    database.index()["d", "byN"] = ["n"]
    assert [row["n"] for row in database.find({"selector": {"n": {"$gte": 3}}, "sort": ["n"]})] == [3, 4]
    assert [row.key for row in database.view("d/byN", startkey=3)] == [3, 4]
    assert [row.id for row in database.iterview("d/byN", batch=2)] == ["w0", "w1", "one", "w2", "w3", "w4"]
    database["_design/app"] = {"views": {"v": {"map": "function(doc) { emit(doc._id); }"}}}
    try:
        list(database.view("app/v"))
        raise AssertionError("A function was run.")
    except couchdb.http.ServerError as error:
        assert error.args[0][0] == 501, error
    # The tool replicates by asking a server to.
    done = server.replicate(address + "/words", address + "/copy", create_target=True)
    assert done["ok"], done
    copy = server["copy"]
    assert sorted(copy) == sorted(database) and "_design/app" in copy
    assert copy.get_attachment("one", "a.txt").read() == b"text"
    sys.argv[1:] = [address + "/words", address + "/tool"]
    replicate.main()
    assert sorted(server["tool"]) == sorted(database)
    del server["tool"]
    begun = server.replicate("words", "copy", continuous=True)
    assert begun["_local_id"].endswith("+continuous"), begun
    database["later"] = {"n": 9}
    waited = copy.changes(feed="longpoll", since=copy.info()["update_seq"], timeout=20000)
    assert "later" in copy or [row["id"] for row in waited["results"]] == ["later"], waited
    assert server.replicate("words", "copy", continuous=True, cancel=True)["ok"]
    del server["copy"]
    database.delete(database["later"])
    database.delete(database["_design/app"])
    database.delete(database["w1"])
    assert "w1" not in database


def check_tokens(address, secret):
    """Shows tokens as passwords, in sessions and by themselves, and sees what their channels show."""

    def token(subject, **claims):
        return jwt.encode({"sub": subject, "exp": 4_102_444_800, **claims}, secret, algorithm="HS256")

    def client(authenticator):
        made = CloudantV1(authenticator=authenticator)
        made.set_service_url(address)
        made.enable_retries(max_retries=0)
        return made

    admin = token("anna", **{"_couchdb.roles": ["_admin"]})
    bob = token("bob", channels=["news"])
    refused(401, client(NoAuthAuthenticator()).get_all_dbs)
    refused(401, client(BasicAuthenticator("eve", bob)).get_database_information, db="own")
    owner = client(CouchDbSessionAuthenticator("anna", admin))
    owner.put_database(db="own")
    assert owner.get_all_dbs().get_result() == ["own"]
    who = owner.get_session_information().get_result()
    assert who["userCtx"]["name"] == "anna" and who["info"]["authenticated"] == "cookie", who
    for name, channel in (("a", "news"), ("b", "staff"), ("c", "news")):
        owner.put_document(db="own", doc_id=name, document={"channels": [channel], "n": 1})
    for reader in (
        client(BasicAuthenticator("bob", bob)),
        client(CouchDbSessionAuthenticator("bob", bob)),
        client(BearerTokenAuthenticator(bob)),
    ):
        refused(401, reader.delete_database, db="own")
        rows = reader.post_all_docs(db="own").get_result()
        assert [row["id"] for row in rows["rows"]] == ["a", "c"] and rows["total_rows"] == 2, rows
        refused(404, reader.get_document, db="own", doc_id="b")
        changes = reader.post_changes(db="own").get_result()["results"]
        assert [row["id"] for row in changes] == ["a", "c"], changes
        found = reader.post_find(db="own", selector={"n": 1}).get_result()["docs"]
        assert [row["_id"] for row in found] == ["a", "c"], found
        refused(403, reader.put_document, db="own", doc_id="x", document={"channels": ["staff"]})
    reader.put_document(db="own", doc_id="d", document={"channels": ["news"]})
    owner.put_security(db="own", members={"names": ["anna"], "roles": []})
    refused(403, reader.get_database_information, db="own")
    server = couchdb.Server(address)
    server.resource.credentials = ("anna", admin)
    assert len(server["own"]) == 4
    server.delete("own")


def main():
    address = sys.argv[1].rstrip("/")
    if len(sys.argv) > 2:
        check_tokens(address, pathlib.Path(sys.argv[2]).read_text().strip())
        print("ok check_tokens")
        return
    client = CloudantV1(authenticator=NoAuthAuthenticator())
    client.set_service_url(address)
    client.enable_retries(max_retries=0)
    for check in (check_documents, check_conflicts, check_attachments, check_find, check_changes):
        check(client)
        print("ok", check.__name__)
    check_python(address)
    print("ok check_python")


if __name__ == "__main__":
    main()
