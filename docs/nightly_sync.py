#!/usr/bin/env python3
"""Makes the employees match the file of an HR system, apart from rows that can't be applied, and prints one line to mail.

It needs Python 3.9, this file, and nothing else:

    API_URL=https://ledger.example API_TOKEN=el_user_... python3 nightly_sync.py staff.csv --at-most 25

The token needs the scope uploads:write. What the columns mean is chosen once, on the page Upload file, by the
administrator whose token it is; or it comes from --map, a file with the answer of GET .../uploads/{id}/mapping.

Exit codes: 0 if every row was applied; 1 if some rows or the whole file wait for a person, and the line says where;
2 for a wrong option, setting, or token; 3 if the service did not answer, or can't yet: run it again. What is applied
already is then unchanged.
"""
import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 120

# What a system has begun to write otherwise, as the service sees beside what is stored.
CHANGES = {"exchanged_dates", "respelled_ids", "other_people", "exchanged_columns"}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def explain(body):
    """Returns what a refusal says: its text, the errors, and the values to choose from."""
    try:
        problem = json.loads(body)
    except ValueError:
        return body[:200].decode("utf-8", "replace")
    lines = [problem["detail"]] + [error["message"] for error in problem.get("errors", [])]
    question = problem.get("question") or {"choices": []}
    for choice in question["choices"]:
        option = "--" + question["parameter"].replace("_", "-")
        lines.append(f"{option} '{choice['value']}'  {', '.join(choice.get('samples', []))}")
    return "\n  ".join(lines)


def sync_file(service, token, options):
    def call(method, path, body=None, content_type="application/octet-stream"):
        request = urllib.request.Request(f"{service}/admin/v1/uploads{path}", data=body, method=method)
        request.add_header("Authorization", f"Bearer {token}")
        request.add_header("User-Agent", "nightly-sync")
        if body is not None:
            request.add_header("Content-Type", content_type)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                content = answer.read()
                return json.loads(content) if content else None
        except urllib.error.HTTPError as error:
            raise Refused(error.code, explain(error.read())) from None

    def settle():
        while True:
            upload = call("GET", f"/{upload_id}")
            if upload["state"] not in ("previewing", "applying"):
                return upload
            time.sleep(1)

    answers = {"encoding": options.encoding, "sheet": options.sheet, "header_row": options.header_row}
    query = {name: value for name, value in answers.items() if value is not None}
    query["file_name"] = os.path.basename(options.file)
    with open(options.file, "rb") as file:
        upload_id = call("POST", "?" + urllib.parse.urlencode(query), file.read())["id"]
    page = f"{service}/settings/bulk-user-logs/upload/{upload_id}"
    if options.map is not None:
        with open(options.map, "rb") as mapping:
            call("PUT", f"/{upload_id}/mapping", mapping.read(), "application/json")
    preview = settle()
    if preview["needs_review"] or preview["questions"]:
        about = ", ".join(dict.fromkeys(question["about"] for question in preview["questions"]))
        changes = "".join(f"{note['message']}. " for note in preview["left_out"] if note["reason"] in CHANGES)
        look = "Look at it" if changes else "Say what its columns mean"
        todo = f"Answer its questions ({about})" if about else look
        return 1, f"{preview['summary']['text']}. {changes}{todo}: {page}"

    deactivate, beside, kept = 0, 0, ""
    if options.at_most > 0:
        try:
            missing = call("PUT", f"/{upload_id}/missing")
            count, beside = missing["count"], missing["beside"]
            # All who leave in a day share the limit, unless they are at most one in ten.
            is_many = count > options.at_most or count + beside > max(options.at_most, missing["active"] / 10)
            deactivate = 0 if is_many else count
            if is_many:
                others = f", {beside} deactivated otherwise" if beside else ""
                kept = f"; {count} not in the file{others}, more than {options.at_most}: none deactivated"
        except Refused as refused:
            # Rows with errors may be those of people who then seem to be missing.
            if refused.status != 409:
                raise
            kept = "; nobody deactivated, because rows have errors"
        if kept:
            call("DELETE", f"/{upload_id}/missing")
    call("POST", f"/{upload_id}/apply?all_or_none=false&deactivate={deactivate}&beside={beside}")
    upload = settle()
    summary = upload["summary"]
    if upload["state"] == "ended" and summary["applied"] == summary["rows"] and not kept:
        return 0, summary["text"]
    return 1, f"{summary['text']}{kept}. See {page}"


def find_exit_code(status):
    if status in (413, 422):
        return 1
    return 3 if status >= 500 or status in (409, 429) else 2


def main():
    parser = argparse.ArgumentParser(description="Makes the employees match a file.")
    parser.add_argument("file")
    parser.add_argument("--at-most", type=int, default=0, help="deactivate at most N people who are not in the file")
    parser.add_argument("--encoding", help="the encoding of a text file, such as windows-1252")
    parser.add_argument("--sheet", help="the sheet of a workbook")
    parser.add_argument("--header-row", type=int, help="the line that names the columns")
    parser.add_argument("--map", help="a file with what the columns mean")
    options = parser.parse_args()
    service, token = os.environ.get("API_URL", "").rstrip("/"), os.environ.get("API_TOKEN")
    if not service or not token:
        parser.error("API_URL and API_TOKEN must be set")
    if not service.startswith(("http://", "https://")):
        parser.error("API_URL must start with https:// or http://")
    try:
        code, line = sync_file(service, token, options)
        print(line)
        return code
    except Refused as refused:
        print(refused, file=sys.stderr)
        return find_exit_code(refused.status)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        print(f"{service} did not answer: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
