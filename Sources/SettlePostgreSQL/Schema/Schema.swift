import Settle
import SettlePQ

/// The tables of the store in the database, made and brought up to date by whoever comes first.
///
/// Docs/Formats/PostgreSQL.md describes every one of them.
enum Schema {
    /// What this program reads and writes.
    static let format: Int64 = 1

    /// Held while the schema is changed, so that several processes may start at once.
    ///
    /// The number is "settle" in ASCII.
    private static let lock: Int64 = 0x7365_7474_6C65

    /// Makes the tables, or finds that they are there.
    ///
    /// - Throws: ``DatabaseError`` with `newerFormat` when a newer program made them,
    ///   `notASettleDatabase` when the database is not in UTF-8; ``PQError`` when PostgreSQL
    ///   cannot be reached or refuses.
    static func prepare(_ connection: PQConnection) throws {
        try connection.transaction(.write) {
            try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(lock))
            let encoding = try connection.run("SELECT current_setting('server_encoding')")[0]
                .text(0)
            guard encoding == "UTF8" else {
                throw DatabaseError(
                    .notASettleDatabase,
                    "The PostgreSQL database has the encoding \(encoding); make one with UTF8 "
                        + "(CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0).")
            }
            let isThere = try connection.run(
                "SELECT to_regclass('settle.meta') IS NOT NULL")[0].bool(0)
            guard isThere else {
                try connection.runAll(tables)
                try connection.run(
                    "INSERT INTO settle.meta (name, value) VALUES ('format', $1)",
                    .integer(format))
                return
            }
            let found = try connection.run(
                "SELECT value FROM settle.meta WHERE name = 'format'"
            ).first?.integer(0)
            guard let found, found >= 1 else {
                throw DatabaseError(
                    .corrupted,
                    "The schema 'settle' of the PostgreSQL database has no format; restore a "
                        + "backup, or give the server another database.")
            }
            guard found <= format else {
                throw DatabaseError(
                    .newerFormat,
                    "The schema 'settle' of the PostgreSQL database has the format \(found), and "
                        + "this program knows \(format); use a newer one.")
            }
        }
    }

    private static let tables: StaticString = """
        CREATE SCHEMA IF NOT EXISTS settle;

        CREATE TABLE settle.meta (
            name text COLLATE "C" PRIMARY KEY,
            value bigint NOT NULL
        );

        CREATE TABLE settle.tables (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            last_updated_at bigint NOT NULL DEFAULT 0,
            indexes text NOT NULL DEFAULT '{}'
        );

        CREATE TABLE settle.items (
            table_id bigint NOT NULL REFERENCES settle.tables,
            id text COLLATE "C" NOT NULL,
            members text NOT NULL,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            version text NOT NULL,
            deleted boolean NOT NULL,
            departures text,
            attachments text,
            PRIMARY KEY (table_id, id),
            UNIQUE (table_id, updated_at)
        );

        CREATE TABLE settle.marks (
            table_id bigint NOT NULL REFERENCES settle.tables,
            updated_at bigint NOT NULL,
            id text COLLATE "C" NOT NULL,
            PRIMARY KEY (table_id, updated_at)
        );

        CREATE TABLE settle.keys (
            table_id bigint NOT NULL REFERENCES settle.tables,
            index_number bigint NOT NULL,
            key bytea NOT NULL,
            id text COLLATE "C" NOT NULL,
            PRIMARY KEY (table_id, index_number, key, id)
        );

        CREATE TABLE settle.contents (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            table_id bigint NOT NULL REFERENCES settle.tables,
            digest text COLLATE "C",
            length bigint NOT NULL DEFAULT 0,
            begun_at bigint NOT NULL,
            UNIQUE (table_id, digest)
        );

        CREATE TABLE settle.chunks (
            content_id bigint NOT NULL REFERENCES settle.contents ON DELETE CASCADE,
            number bigint NOT NULL,
            bytes bytea NOT NULL,
            PRIMARY KEY (content_id, number)
        );
        ALTER TABLE settle.chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

        CREATE TABLE settle.uses (
            table_id bigint NOT NULL REFERENCES settle.tables,
            digest text COLLATE "C" NOT NULL,
            id text COLLATE "C" NOT NULL,
            PRIMARY KEY (table_id, digest, id)
        );

        CREATE TABLE settle.holds (
            table_id bigint NOT NULL REFERENCES settle.tables,
            digest text COLLATE "C" NOT NULL,
            owner bytea NOT NULL,
            held_until bigint NOT NULL,
            PRIMARY KEY (table_id, digest, owner)
        );
        """
}
