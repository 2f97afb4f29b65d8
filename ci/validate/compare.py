#!/usr/bin/env python3
"""Holds what `diff` and `explain` print against their schema: compare.py SCHEMA DOCUMENT...

Beside the schema the sums have to match: each changed line has one cause and one kind, and commits
either change the kernel form, leave it alone or are undecided. Then faults are planted in copies: all of
them must be seen.
"""

import collections
import copy
import json
import pathlib
import sys

import jsonschema

# What is changed in the first document that has the place.
FAULTS = [
    ("an unknown cause", lambda d: d["comparison"]["files"][0]["hunks"][0]["lines"][3].update(cause="magic")),
    ("a line without a mark", lambda d: d["comparison"]["files"][0]["hunks"][0]["lines"][0].pop("mark")),
    ("an unknown member", lambda d: d["comparison"].update(news=1)),
    ("a total too high", lambda d: d["comparison"]["code"]["lines"]["all"].__setitem__(0, 10**6)),
    ("a sum of causes too low", lambda d: next(iter(d["comparison"]["causes"].values())).update(added=0)),
    ("another schema", lambda d: d.update(schema=2)),
    ("no answer", lambda d: d["origin"].pop("fate")),
    ("a rule without a reason", lambda d: d["origin"]["rules"][0].update(why="")),
]


def need(holds, what):
    if not holds:
        raise ValueError(what)


def check_sums(found):
    lines = found["code"]["lines"]
    kinds = [lines[kind] for kind in ("moved", "code", "comments", "licence", "blank")]
    need([sum(kind[way] for kind in kinds) for way in (0, 1)] == lines["all"], "kinds of lines")
    by_file = [file["lines"]["all"] for file in found["files"]]
    need([sum(row[way] for row in by_file) for way in (0, 1)] == lines["all"], "lines of files")
    if found["causes"] is not None:
        rows = found["causes"].values()
        sums = [sum(row["added"] for row in rows), sum(row["deleted"] for row in rows)]
        need(sums == lines["all"], "causes")
    drawn = collections.Counter()
    for hunk in (hunk for file in found["files"] for hunk in file["hunks"]):
        for line in hunk["lines"]:
            drawn[line["mark"]] += 1
            plain = line["mark"] == " "
            need(plain == ("kind" not in line), f"kind of {line}")
            need(found["causes"] is None or plain == ("cause" not in line), f"cause of {line}")
    if drawn:
        need([drawn["+"], drawn["-"]] == lines["all"], "lines of hunks")
    commits = found["commits"]
    if commits is not None:
        parts = commits["changing"] + commits["undecided"] + commits["alone"]
        need(parts == commits["total"], "commits")
    need(found["equal"] == (not found["files"]), "equal")


def check(document, validator):
    validator.validate(document)
    if "comparison" in document:
        check_sums(document["comparison"])


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = [json.loads(pathlib.Path(name).read_text()) for name in sys.argv[2:]]
    need(documents, "no documents")
    for document in documents:
        check(document, validator)
    print(f"{len(documents)} documents of {', '.join(d['command'] for d in documents)}")
    missed = 0
    for what, plant in FAULTS:
        for document in documents:
            spoilt = copy.deepcopy(document)
            try:
                plant(spoilt)
            except (KeyError, IndexError, StopIteration):
                continue
            break
        else:
            raise ValueError(f"no place for {what}")
        try:
            check(spoilt, validator)
            missed += 1
            print(f"MISSED {what}")
        except (ValueError, jsonschema.ValidationError) as error:
            print(f"seen   {what}: {str(error).splitlines()[0][:90]}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
