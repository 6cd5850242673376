#!/usr/bin/env python3
"""Verifies an exported ledger with nothing but Python's standard library, after docs/audit-format.md.

usage: verify_ledger.py FILE [--checkpoint NOTES]... [--key KEY]...
exit:  0 consistent, 1 invalid, 2 wrong use, 3 diverged from a checkpoint, 4 unverifiable
"""
import argparse, base64, gzip, hashlib, json, re, sys, zlib

KNOWN = {name: 1 for name in """EmployeeCreated EmployeeUpdated EmployeeDeactivated EmployeeReactivated EmployeeErased
EmployeeRecordRejected RecordsRetired ApiCallCompleted ApiCallFailed CompanyRegistered CompanyTimeZoneChanged UserInvited
UserRoleChanged UserPasswordReset UserPasswordSet UserRemoved UserErased UserTokenIssued UserTokenRevoked ApiKeyIssued
ApiKeyRenamed ApiKeyQuotaChanged ApiKeyRotated ApiKeyDisabled ApiKeyEnabled ApiKeyRevoked""".split()}  # newest schema version
OF_EMPLOYEE = {"EmployeeCreated", "EmployeeUpdated", "EmployeeDeactivated", "EmployeeReactivated"}
CLOSING, REJECTED = {"ApiCallCompleted", "ApiCallFailed"}, "EmployeeRecordRejected"
OF_USER = {name for name in KNOWN if name.startswith("User")} - {"UserErased"}
ERASABLE = {"EmployeeErased": OF_EMPLOYEE | {REJECTED}, "UserErased": OF_USER, "RecordsRetired": {REJECTED}}
COUNTS = ("total", "updated", "deactivated", "failed", "no_updates")
ID, HASH = "[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}", "[0-9a-f]{64}"
TEXTS = {"actor": "[a-z0-9_]+", "company_id": ID, "data_hash": HASH, "stream": ID, "type": "[A-Za-z]+",
         "recorded_at": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"}
EXITS = {"consistent": 0, "invalid": 1, "diverged": 3, "unverifiable": 4}


class Fault(Exception):
    def __init__(self, kind, position, reason):
        super().__init__(reason)
        self.kind, self.position = kind, position


def check(holds, position, reason):
    if not holds:
        raise Fault("invalid", position, reason)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def no_constant(name):
    raise ValueError(name)


def parse(text):
    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return None


def count(value):
    return type(value) is int and 0 <= value < 2 ** 53


def compact(value, in_order=False):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=not in_order)


def read_line(line, position):  # checks 1 and 2 and 4 of the format
    if position == 1 and not line.startswith(b'{"envelope":"'):
        raise Fault("unverifiable", None, "not an exported ledger")
    check(line.endswith(b"\n"), position, "the line is cut off")
    try:
        text = line[:-1].decode()
        row = parse(text)
        whole = isinstance(row, dict) and [*row] == ["envelope", "data", "salt"] and isinstance(row["envelope"], str)
        whole = whole and all(row[name] is None or isinstance(row[name], str) for name in row) and compact(row, True) == text
        check(whole and compact(row, True).encode(), position, "the line is not of the proof format")
    except UnicodeError:
        raise Fault("invalid", position, "the line is not UTF-8") from None
    event = parse(row["envelope"])
    check(isinstance(event, dict) and form(event) and compact(event) == row["envelope"], position, "the envelope is not canonical")
    data, salt = row["data"], row["salt"]
    check((data is None) == (salt is None), position, "only one of data and salt is null")
    if data is not None:
        check(re.fullmatch("[0-9a-f]{32}", salt), position, "the salt is not 16 bytes in hexadecimal")
        check(sha256(bytes.fromhex(salt), data.encode()).hex() == event["data_hash"], position, "the data are not those hashed")
    return event, row["envelope"].encode(), data


def form(event):
    names = {*TEXTS, "call_id", "index", "position", "schema_version", "version"}
    return (event.keys() == names and all(isinstance(event[n], str) and re.fullmatch(TEXTS[n], event[n]) for n in TEXTS)
            and (event["call_id"] is None or isinstance(event["call_id"], str) and re.fullmatch(ID, event["call_id"]))
            and (event["index"] is None or count(event["index"]))
            and all(count(event[n]) for n in ("position", "schema_version", "version")))


class Ledger:
    def __init__(self, checkpoints, keys):
        self.frontier, self.size, self.company, self.time, self.unreadable = [], 0, None, "", None
        self.versions, self.gone, self.call = {}, {}, None
        self.checkpoints = sorted(checkpoints, key=lambda checkpoint: checkpoint["size"])
        for checkpoint in self.checkpoints if keys else []:
            check_signature(checkpoint, keys)
        self.compare_root()

    def take(self, line):
        at = self.size + 1
        event, leaf, data = read_line(line, at)
        check(event["position"] == at, at, "the event is that of position %d" % event["position"])
        if self.company is None:
            self.company = event["company_id"]
            if any(known["origin"] != "employee-ledger/" + self.company for known in self.checkpoints):
                raise Fault("diverged", None, "a checkpoint is of another ledger")
        check(event["company_id"] == self.company, at, "the event is of another company")
        check(event["recorded_at"] >= self.time, at, "the time goes back")
        self.time = event["recorded_at"]
        self.versions[event["stream"]] = version = self.versions.get(event["stream"], 0) + 1
        check(event["version"] == version, at, "the version of the stream is not %d" % version)
        if not self.unreadable and not 1 <= event["schema_version"] <= KNOWN.get(event["type"], 0):
            self.unreadable = at
        if not self.unreadable:
            self.check_erasure(at, event, data)
            self.check_call(at, event, data)
        node, width = sha256(b"\0", leaf), self.size
        while width % 2:
            node, width = sha256(b"\1", self.frontier.pop(), node), width // 2
        self.frontier.append(node)
        self.size = at
        self.compare_root()

    def root(self):
        if not self.frontier:
            return sha256()
        root = self.frontier[-1]
        for left in reversed(self.frontier[:-1]):
            root = sha256(b"\1", left, root)
        return root

    def compare_root(self):
        here = [known["root"] for known in self.checkpoints if known["size"] == self.size]
        if here and any(root != self.root() for root in here):
            raise Fault("diverged", self.size, "the root up to here is not that of the checkpoint")

    def check_erasure(self, at, event, data):
        kind, stream = event["type"], event["stream"]
        if data is None:
            check(any(kind in kinds for kinds in ERASABLE.values()), at, "data of this type are never erased")
            self.gone[at] = [kind, stream, False]
        elif kind in ERASABLE:
            row = parse(data)
            positions = row.get("positions") if isinstance(row, dict) else None
            check(isinstance(positions, list) and all(count(n) and 0 < n < at for n in positions), at, "bad positions")
            for named in positions:
                if named not in self.gone:
                    continue  # exported before it was erased
                what, whose, _ = self.gone[named]
                fits = kind == "RecordsRetired" or what == REJECTED or whose == stream
                check(what in ERASABLE[kind] and fits, named, "position %d cannot be about it" % at)
                self.gone[named][2] = True

    def check_call(self, at, event, data):
        kind, call_id, index = event["type"], event["call_id"], event["index"]
        check(self.call is None or call_id == self.call["id"], at, "the call before is not closed")
        check((call_id is not None) == (kind in OF_EMPLOYEE | CLOSING | {REJECTED}), at, "in a call, or outside of any, wrongly")
        if call_id is None:
            return
        call = self.call = self.call or {"id": call_id, "created": set(), "updated": {}, "rejected": set()}
        if kind in CLOSING:
            once = event["stream"] == call_id and event["version"] == len(call["rejected"]) + 1
            check(once, at, "the call is not closed exactly once")
            check(recount(call, parse(data), kind), at, "the counts are not those of the events")
            self.call = None
            return
        check(index is not None, at, "the event names no record")
        twice = index in call["created"] or index in call["rejected"]
        if kind in ("EmployeeCreated", REJECTED):
            check(not twice and index not in call["updated"], at, "a record stands there twice")
            check(kind != REJECTED or event["stream"] == call_id, at, "the stream is not that of the call")
            call["created" if kind == "EmployeeCreated" else "rejected"].add(index)
        else:
            check(not twice, at, "a record stands there twice")
            call["updated"][index] = call["updated"].get(index, False) or kind == "EmployeeDeactivated"

    def end(self):
        if not self.size and not self.checkpoints:
            raise Fault("unverifiable", None, "there are no events")
        check(self.unreadable or self.call is None, self.size, "the last call is not closed")
        for position, (_, _, named) in self.gone.items():
            check(self.unreadable or named, position, "the data are gone, and nothing says why")
        if self.checkpoints and self.checkpoints[-1]["size"] > self.size:
            raise Fault("diverged", self.size + 1, "the ledger ends before a checkpoint")
        if self.unreadable:
            raise Fault("unverifiable", self.unreadable, "an event of an unknown type or schema version")


def recount(call, data, kind):
    data = data if isinstance(data, dict) else {}
    operation, counts, unchanged = data.get("operation"), data.get("counts"), data.get("unchanged", [])
    created, updated, rejected = call["created"], call["updated"], call["rejected"]
    if operation not in ("create", "update_one", "update_many") or not isinstance(counts, dict):
        return False
    if kind == "ApiCallCompleted" and not isinstance(data.get("unchanged"), list):
        return False
    if not all(count(counts.get(name)) for name in COUNTS):
        return False
    total, updates, deactivations, failures, same = (counts[name] for name in COUNTS)
    if operation == "update_one" and total != 1:
        return False
    if kind == "ApiCallFailed":
        expected = len(rejected) if operation == "create" and rejected else total
        fits = not created and not updated and all(index < total for index in rejected)
        return fits and (updates, deactivations, failures, same) == (0, 0, expected, 0)
    indexes = [record.get("index") if isinstance(record, dict) else None for record in unchanged]
    if not all(count(index) for index in indexes):
        return False
    indexes += [*created, *updated]
    gone = sum(updated.values())
    expected = (len(indexes), len(updated) - gone, gone, 0, len(unchanged))
    shape = len(created) == total if operation == "create" else not created
    return not rejected and shape and sorted(indexes) == [*range(total)] and expected == tuple(counts[n] for n in COUNTS)


def parse_notes(text):
    notes = []
    for found in re.finditer(r"\n*((?:[^\n]+\n)+)\n((?:\u2014 [^\n]+\n)+)\n*|(.|\n)", text):
        lines = (found[1] or "").split("\n")
        signatures = [re.fullmatch(r"\u2014 ([^\s+]+) (\S+)", line) for line in (found[2] or "").split("\n")[:-1]]
        if found[3] or len(lines) < 4 or not re.fullmatch("0|[1-9][0-9]{0,15}", lines[1]) or not all(signatures):
            raise ValueError("not a file of checkpoints")
        note = {"origin": lines[0], "size": int(lines[1]), "root": unbase64(lines[2]), "text": found[1].encode()}
        notes.append({**note, "signatures": [(line[1], unbase64(line[2])) for line in signatures]})
    if not all(len(note["root"]) == 32 and all(len(raw) > 4 for _, raw in note["signatures"]) for note in notes) or not notes:
        raise ValueError("not a file of checkpoints")
    return notes


def unbase64(text):
    raw = base64.b64decode(text, validate=True)
    if base64.b64encode(raw).decode() != text:
        raise ValueError("not base64")
    return raw


def parse_key(text):
    name, key_hash, encoded = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(.+)", text).groups()
    typed = unbase64(encoded)
    if len(typed) != 33 or typed[0] != 1 or sha256(name.encode(), b"\n", typed)[:4].hex() != key_hash:
        raise ValueError("not a verifier key of Ed25519")
    return name, bytes.fromhex(key_hash), typed[1:]


def check_signature(checkpoint, keys):
    standing = False
    for name, signature in checkpoint["signatures"]:
        named = [key for known, key_hash, key in keys if (known, key_hash) == (name, signature[:4])]
        if named:
            standing = any(ed25519_verifies(key, checkpoint["text"], signature[4:]) for key in named)
            check(standing, None, "the signature of the checkpoint is not by its key")
    if not standing:
        raise Fault("unverifiable", None, "the checkpoint is signed with none of the keys given")


P, Q = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493  # Ed25519, RFC 8032 section 5.1
D, I = -121665 * pow(121666, P - 2, P) % P, pow(2, (P - 1) // 4, P)


def point_add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, d - c, d + c, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_times(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        total, point, scalar = point_add(total, point) if scalar & 1 else total, point_add(point, point), scalar >> 1
    return total


def point_read(raw):
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * I % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def ed25519_verifies(key, text, signature):
    if len(signature) != 64:
        return False
    a, r, s = point_read(key), point_read(signature[:32]), int.from_bytes(signature[32:], "little")
    if not a or not r or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % Q
    base = point_read((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = point_times(s, base), point_add(r, point_times(h, a))
    return not any((left[n] * right[2] - right[n] * left[2]) % P for n in (0, 1))


def verify(lines, checkpoints, keys):
    """The verdict about the lines of an export: what it is, at which position, why."""
    try:
        ledger = Ledger(checkpoints, keys)
        for line in lines:
            ledger.take(line)
        ledger.end()
    except Fault as fault:
        return fault.kind, fault.position, str(fault)
    seen = "%d checkpoints hold, to position %d" % (len(checkpoints), max([0] + [known["size"] for known in checkpoints]))
    return "consistent", None, "%d events, root %s, %s, %s" % (
        ledger.size, base64.b64encode(ledger.root()).decode(), seen, "signed" if keys and checkpoints else "unsigned")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--checkpoint", action="append", default=[])
    parser.add_argument("--key", action="append", default=[])
    given = parser.parse_args()
    try:
        keys = [parse_key(key) for key in given.key]
    except (ValueError, AttributeError):
        parser.error("--key is not a verifier key")
    try:
        checkpoints = [note for name in given.checkpoint for note in parse_notes(open(name, encoding="utf-8", newline="").read())]
        with (gzip.open if given.file.endswith(".gz") else open)(given.file, "rb") as lines:
            verdict = verify(lines, checkpoints, keys)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        verdict = "unverifiable", None, str(error)
    print(verdict[0] + ("" if verdict[1] is None else " at position %d" % verdict[1]) + ": " + verdict[2])
    sys.exit(EXITS[verdict[0]])


if __name__ == "__main__":
    main()
