#!/usr/bin/env python3
"""Holds what `check` writes against what others read: documents.py SCHEMA XSD FOLDER

FOLDER has each report four times: NAME.json, NAME.sarif, NAME.xml, NAME.txt (workflow commands). Each
is read by a consumer of its format, or held against its schema, and all four have to say the same.
Then faults are planted in copies: all of them must be seen.
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile

import jsonschema
import junitparser
from lxml import etree

KINDS = {"error", "warning", "notice"}
PROPERTIES = {"file", "line", "endLine", "col", "endColumn", "title"}

# Name, old text, new text: the first place is changed.
FAULTS = [
    ("sample.json", '"severity": "error"', '"severity": "fatal"'),
    ("sample.json", '"total": 1,', ""),
    ("sample.sarif", '"level": "error"', '"level": "fatal"'),
    ("sample.sarif", '"startLine": 3', '"startLine": 0'),
    ("sample.sarif", '"uri": "lib/a.c"', '"uri": "lib/a b.c"'),
    ("sample.sarif", '"ruleId": "libc-call"', '"ruleId": "syntax-error"'),
    ("sample.xml", "</testsuite>", ""),
    ("sample.xml", "<failure type", "<failed type"),
    ("sample.xml", ' failures="2"', ' failures="3"'),
    ("hostile.xml", "&lt;x a", "<x a"),
    ("sample.txt", "%0A", "\n"),
    ("sample.txt", "title=zstd", "title:zstd"),
    ("sample.txt", "::warning ", "::debug "),
    ("hostile.txt", "%250A", "%0A"),
]


def need(holds, what):
    if not holds:
        raise ValueError(what)


def introduced(record):
    """Findings with the commit that brought them, and whether they are gone at the last one."""
    found = []
    for commit in record["commits"]:
        for entry in found:
            entry["gone"] |= entry["found"]["fingerprint"] in commit["fixed"]
        found += [{"found": f, "commit": commit, "gone": False} for f in commit["findings"]]
    return found


def inert(text):
    """No terminal acts upon it."""
    for c in text:
        code = ord(c)
        need(c == "\n" or code >= 32 and not 127 <= code < 160, f"control character {code:#x}")
        need(not 0x202A <= code <= 0x202E and not 0x2066 <= code <= 0x2069, f"bidi {code:#x}")


def check_json(text):
    record = json.loads(text)
    need(record["schema"] == 1 and record["command"] == "check", "head")
    need(all(c["number"] < record["total"] for c in record["commits"]), "numbers of commits")
    for entry in introduced(record):
        need(entry["found"]["severity"] in ("error", "warning"), "severity")
        need(re.fullmatch("[a-z0-9-]+", entry["found"]["code"]), "code")
    return record


def check_sarif(text, schema, record):
    log = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    standing = [e for e in introduced(record) if not e["gone"]]
    need(len(run["results"]) == len(standing), "number of results")
    for result, entry in zip(run["results"], standing):
        found = entry["found"]
        need(result["ruleId"] == found["code"] == rules[result["ruleIndex"]]["id"], "rule")
        need(result["level"] == found["severity"], "level")
        need(("suppressions" in result) == found["accepted"], "suppressions")
        for place in result["locations"] + result.get("relatedLocations", []):
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            need(re.fullmatch(r"([A-Za-z0-9._~+/-]|%[0-9A-F]{2})+", uri), f"uri {uri}")
            need(not uri.startswith("/") and ".." not in uri.split("/"), f"uri {uri}")
        need("](" not in result["message"]["text"], "a link in a message")


def check_junit(text, xsd, record):
    tree = etree.fromstring(text.encode())
    need(xsd.validate(tree), xsd.error_log)
    parsed = junitparser.JUnitXml.fromstring(text.encode())
    commits = [commit for commit in record["commits"] if not commit.get("start")]
    wanted = {
        (commit["number"], found["code"])
        for commit in commits
        for found in commit["findings"]
        if found["severity"] == "error" and not found["accepted"]
    }
    failed = set()
    for suite, commit in zip(parsed, commits, strict=True):
        for case in suite:
            if any(isinstance(result, junitparser.Failure) for result in case.result):
                failed.add((commit["number"], case.name))
        need(suite.failures == len({c for n, c in wanted if n == commit["number"]}), "failures")
        need(suite.tests == sum(1 for _ in suite), "tests")
    need(failed == wanted, f"failures {failed ^ wanted}")
    need(parsed.failures == len(wanted), "failures in all")


def check_commands(text, record):
    """As the runner reads them: `::KIND NAME=VALUE,...::MESSAGE`, one a line."""
    messages = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
        need(match, f"no command: {line}")
        kind, properties, message = match.groups()
        need(kind in KINDS, f"kind {kind}")
        pairs = [property.partition("=") for property in properties.split(",")]
        need(all(equals for _, equals, _ in pairs), f"properties {properties}")
        need({name for name, _, _ in pairs} <= PROPERTIES, f"properties {properties}")
        need("%0A" not in properties and "%0D" not in properties, "a torn property")
        values = {name: value for name, _, value in pairs}
        need(("col" in values) <= (values.get("line") == values.get("endLine")), "columns")
        parts = [part.replace("%0D", "\r").replace("%25", "%") for part in message.split("%0A")]
        messages.append((kind, parts[0]))
    new = [entry for entry in introduced(record) if not entry["commit"].get("start")]
    shown = [entry["found"] for entry in new if not entry["found"]["accepted"]]
    need(messages[0][0] == "notice", "the summary in front")
    # Hostile texts are shown escaped: only what is plain can be compared.
    shown_plain = [f for f in shown if all(" " <= c < "\x7f" for c in f["message"])]
    wanted = sorted((f["severity"], f["message"]) for f in shown_plain)
    need(len(messages) == len(shown) + 1, "number of commands")
    found = sorted(entry for entry in messages[1:] if "\\u{" not in entry[1])
    need(found == wanted, f"{found} instead of {wanted}")


def check(folder, schema, xsd):
    names = sorted(path.stem for path in folder.glob("*.json"))
    need(names, f"no reports in {folder}")
    for name in names:
        texts = [(folder / f"{name}.{end}").read_text() for end in ("json", "sarif", "xml", "txt")]
        for text in texts:
            inert(text)
        record = check_json(texts[0])
        check_sarif(texts[1], schema, record)
        check_junit(texts[2], xsd, record)
        check_commands(texts[3], record)
    return names


def main():
    schema_file, xsd_file, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    schema = json.loads(schema_file.read_text())
    xsd = etree.XMLSchema(etree.parse(str(xsd_file)))
    names = check(folder, schema, xsd)
    print(f"{len(names)} reports in 4 formats: {', '.join(names)}")
    if not (folder / "sample.json").exists():
        return 0
    missed = 0
    for name, old, new in FAULTS:
        with tempfile.TemporaryDirectory() as copy:
            copy = pathlib.Path(copy) / "reports"
            shutil.copytree(folder, copy)
            text = (copy / name).read_text()
            need(old in text, f"no place for a fault in {name}: {old}")
            (copy / name).write_text(text.replace(old, new, 1))
            try:
                check(copy, schema, xsd)
                missed += 1
                print(f"MISSED {name}: {old!r} became {new!r}")
            except Exception as error:  # whatever a consumer throws
                print(f"seen   {name}: {str(error).splitlines()[0][:90]}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
