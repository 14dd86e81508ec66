"""Clients of CouchDB by others against `settle serve --couchdb-port`.

check.py ADDRESS: the official library of Cloudant, and CouchDB-Python with its tools dump and load, use a server that is
running as apps would.
"""

import io
import subprocess
import sys
import threading

import couchdb
from couchdb.tools import dump, load
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import NoAuthAuthenticator
from ibmcloudant.cloudant_v1 import CloudantV1


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
    client.delete_attachment(db="cities", doc_id="bonn", attachment_name="photo", rev=stored["rev"])
    refused(404, client.get_attachment, db="cities", doc_id="bonn", attachment_name="photo")


def check_changes(client):
    changes = client.post_changes(db="cities", style="all_docs", include_docs=True).get_result()
    assert len({row["id"] for row in changes["results"]}) == len(changes["results"]) == 23, changes
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
    database.delete(database["w1"])
    assert "w1" not in database


def main():
    address = sys.argv[1].rstrip("/")
    client = CloudantV1(authenticator=NoAuthAuthenticator())
    client.set_service_url(address)
    client.enable_retries(max_retries=0)
    for check in (check_documents, check_conflicts, check_attachments, check_changes):
        check(client)
        print("ok", check.__name__)
    check_python(address)
    print("ok check_python")


if __name__ == "__main__":
    main()
