"""Builds the documentation of all products with DocC, into the folder that is given, and fails at a warning.

The catalogues in Sources get the guides as articles for as long as it takes.
"""

import os
import subprocess
import sys

import articles

# What users import, after what each is built on. SettleDocuments is handed on by Settle.
TARGETS = [
    "SettleDocuments", "Settle", "SettleOutbox", "SettleSync", "SettleEntities", "SettleREST", "SettleCosmos",
    "SettleCosmosEncryption", "SettleServer", "SettlePostgreSQL", "SettleHosting", "SettleInspector",
]


def main(folder):
    # The manifest has the plugin for this alone, so that no app fetches it.
    environment = dict(os.environ, SETTLE_DOCUMENTATION="1")
    command = ["swift", "package", "--allow-writing-to-directory", folder, "generate-documentation"]
    for target in TARGETS:
        command += ["--target", target]
    command += [
        "--enable-experimental-combined-documentation", "--warnings-as-errors", "--output-path", folder,
    ]
    articles.write()
    try:
        return subprocess.run(command, cwd=articles.ROOT, env=environment).returncode
    finally:
        articles.remove()


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
