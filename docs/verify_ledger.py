#!/usr/bin/env python3
"""Verifies an exported ledger or an evidence file with nothing but Python's standard library, after docs/audit-format.md.

usage: verify_ledger.py FILE [--checkpoint NOTES]... [--key KEY]... [--witness KEY]... [--quorum N]
       verify_ledger.py [EVIDENCE.zip or its unpacked folder; default: where this program is] [the same options but --checkpoint]
exit:  0 consistent, 1 invalid, 2 wrong use, 3 diverged from a checkpoint, 4 unverifiable
"""
import argparse, base64, datetime, gzip, hashlib, itertools, json, os, re, sys, zipfile, zlib

OF_EMPLOYEE = {"EmployeeCreated", "EmployeeUpdated", "EmployeeDeactivated", "EmployeeReactivated", "EmployeeDeprovisioned"}
OF_USER = {"User" + name for name in "Invited RoleChanged PasswordReset PasswordSet AlertsChanged Removed TokenIssued TokenRevoked IdentityLinked IdentityUnlinked PasskeyAdded PasskeyRemoved RecoveryCodesIssued RecoveryCodeUsed SignedIn SignedOut SessionsEnded SignInFailed".split()}
OF_KEY = {"ApiKey" + name for name in "Issued Renamed QuotaChanged AccessChanged ExpectedCallsChanged LimitsChanged ExcessAllowed Rotated Disabled Enabled Revoked".split()}
OF_WEBHOOK = {"Webhook" + name for name in "Created Changed SecretRotated Paused Resumed Disabled Removed".split()}
OF_PROVIDER = {"IdentityProvider" + name for name in "Added Changed SecretReplaced UseChanged Removed".split()}
REJECTED, CLOSING = "EmployeeRecordRejected", {"ApiCallCompleted", "ApiCallFailed"}
OF_CALL = OF_EMPLOYEE | CLOSING | {REJECTED}
FILE = "FileUploaded"
ERASABLE = {"EmployeeErased": OF_EMPLOYEE | {REJECTED, FILE}, "UserErased": {FILE} | {"User" + name for name in "Invited TokenIssued IdentityLinked PasskeyAdded".split()}, "RecordsRetired": {REJECTED, FILE}}
COMPANY = {"CompanyRegistered", "CompanyRenamed", "CompanyTimeZoneChanged", "CompanyCountryChanged", "AttentionRaised", "AttentionResolved", "AttentionSnoozed", "PersonalDataReported"}
KNOWN = OF_CALL | OF_USER | OF_KEY | OF_WEBHOOK | OF_PROVIDER | ERASABLE.keys() | COMPANY | {FILE}
VERSIONS = {REJECTED: 2, "ApiCallCompleted": 4, "ApiCallFailed": 3, "UserTokenIssued": 2,
            "ApiKeyIssued": 2, "ApiKeyAccessChanged": 2}  # the latest schema versions; of all other types, 1
# Of each operation: whether a body holds one record or many, which records create employees, which count as failed if the call
# fails for some, and the first schema version of the events of completed and of failed calls that may have it.
OPERATIONS = {
    "create": ("many", "all", "refused", 1, 1),
    "update_one": ("one", "none", "all", 1, 1),
    "update_many": ("many", "none", "all", 1, 1),
    "upsert": ("many", "unfound", "all", 1, 1),
    "undo": ("many", "none", "all", 4, 3),
}
COUNTS = ("total", "updated", "deactivated", "failed", "no_updates")
ID, HASH, TIME = "[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}", "[0-9a-f]{64}", "[0-9]{4}-[0-9]{2}-[0-9]{2}T([0-9]{2}:){2}[0-9]{2}[.][0-9]{3}Z"
TEXTS = {"actor": "[a-z0-9_]+", "company_id": ID, "data_hash": HASH, "recorded_at": TIME, "stream": ID, "type": "[A-Za-z]+"}
EXITS = {"consistent": 0, "invalid": 1, "diverged": 3, "unverifiable": 4}

class Fault(Exception):
    """What is wrong: its kind, its position, and why."""

def check(holds, position, reason, kind="invalid"):
    if not holds:
        raise Fault(kind, position, reason)

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def parse(text):
    try:
        return json.loads(text, parse_constant=int)  # NaN is no number here either
    except (ValueError, RecursionError):
        return None

def compact(value, sort):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort)

def matches(form, value):
    return isinstance(value, str) and re.fullmatch(form, value) is not None

def count(value):
    return type(value) is int and 0 <= value < 2 ** 53

def read_line(line, at):  # rules 1 and 2
    check(at > 1 or line.startswith(b'{"envelope":"'), None, "not an exported ledger", "unverifiable")
    check(line.endswith(b"\n"), at, "the line is cut off")
    try:
        row = parse(line[:-1].decode())
        texts = [*row.values()] if isinstance(row, dict) and [*row] == ["envelope", "data", "salt"] else [None]
        whole = isinstance(texts[0], str) and all(text is None or isinstance(text, str) for text in texts)
        check(whole and compact(row, sort=False).encode() == line[:-1], at, "the line is not in the proof format")
    except UnicodeError:
        raise Fault("invalid", at, "the line is not UTF-8") from None
    (envelope, data, salt), event = texts, parse(texts[0])
    names = {*TEXTS, "call_id", "index", "position", "schema_version", "version"}
    form = (isinstance(event, dict) and event.keys() == names and all(matches(TEXTS[name], event[name]) for name in TEXTS)
            and (event["call_id"] is None or matches(ID, event["call_id"])) and (event["index"] is None or count(event["index"]))
            and all(count(event[name]) for name in ("position", "schema_version", "version")))
    check(form and compact(event, sort=True) == envelope, at, "the envelope is not canonical")
    check((data is None) == (salt is None), at, "only one of data and salt is null")
    if data is not None:
        check(matches("[0-9a-f]{32}", salt), at, "the salt is not 16 bytes in hexadecimal")
        check(sha256(bytes.fromhex(salt), data.encode()).hex() == event["data_hash"], at, "the data are not those hashed")
    return event, envelope.encode(), data

class Ledger:
    def __init__(self, checkpoints, keys, witnesses=(), quorum=None):
        self.frontier, self.size, self.company, self.time, self.unreadable = [], 0, None, "", None
        self.versions, self.gone, self.kept, self.call = {}, {}, set(), None  # gone: [type, stream, actor, is named] by position
        self.checkpoints = sorted(checkpoints, key=lambda known: known["size"])
        for known in self.checkpoints if keys else []:
            check_signature(known, keys)
        self.witnessed = check_cosignatures(self.checkpoints, witnesses, quorum or len(witnesses)) if witnesses else None
        self.compare_root()

    def take(self, line):
        at = self.size + 1
        event, leaf, data = read_line(line, at)
        kind, stream = event["type"], event["stream"]
        check(event["position"] == at, at, "the event is that of position %d" % event["position"])
        self.company = self.company or event["company_id"]
        ours = at > 1 or all(known["origin"] == "employee-ledger/" + self.company for known in self.checkpoints)
        check(ours, None, "a checkpoint is of another ledger", "diverged")
        check(event["company_id"] == self.company, at, "the event belongs to another company")
        check(event["recorded_at"] >= self.time, at, "the time goes backwards")
        self.time, self.versions[stream] = event["recorded_at"], self.versions.get(stream, 0) + 1
        check(event["version"] == self.versions[stream], at, "the version of the stream is not %d" % self.versions[stream])
        if not self.unreadable and not is_known(event):
            self.unreadable = at
        if not self.unreadable:
            self.check_erasure(at, kind, event, data)
            self.check_call(at, kind, event, data)
        self.append(sha256(b"\0", leaf), 1)
        self.compare_root()

    def append(self, node, width):  # the root of the next complete subtree of so many leaves
        number, self.size = self.size // width, self.size + width
        while number % 2:
            node, number = sha256(b"\1", self.frontier.pop(), node), number // 2
        self.frontier.append(node)

    def root(self):
        root = self.frontier[-1] if self.frontier else sha256()
        for left in self.frontier[-2::-1]:
            root = sha256(b"\1", left, root)
        return root

    def compare_root(self):
        here = {known["root"] for known in self.checkpoints if known["size"] == self.size}
        check(not here or here == {self.root()}, self.size, "the root here differs from that of the checkpoint", "diverged")

    def check_erasure(self, at, kind, event, data):  # rule 5
        stream, actor = event["stream"], event["actor"]
        if data is None:
            check(any(kind in kinds for kinds in ERASABLE.values()), at, "data of this type are never erased")
            self.gone[at] = [kind, stream, actor, False]
        elif kind in ERASABLE:
            row = parse(data)
            positions = row.get("positions") if isinstance(row, dict) else None
            check(isinstance(positions, list) and all(count(named) and 0 < named < at for named in positions), at, "bad positions")
            self.kept.update(named for named in positions if named not in self.gone)  # exported before they were erased
            for named in filter(self.gone.get, positions):
                what, whose, by, _ = self.gone[named]
                fits = what in ERASABLE[kind] and (kind == "RecordsRetired" or what == REJECTED or whose == stream
                                                   or what == FILE and (kind == "EmployeeErased" or by == stream))
                check(fits, named, "position %d cannot be about it" % at)
                self.gone[named][3] = True

    def check_call(self, at, kind, event, data):  # rule 6
        call_id, index, is_own = event["call_id"], event["index"], event["stream"] == event["call_id"]
        check(self.call is None or call_id == self.call["id"], at, "the call before is not closed")
        check((call_id is not None) == (kind in OF_CALL), at, "the event may not occur here, within or outside a call")
        if call_id is None:
            return
        self.call = self.call or {"id": call_id, "created": set(), "updated": {}, "rejected": set(), "streams": set(), "last": 0}
        created, updated, rejected = self.call["created"], self.call["updated"], self.call["rejected"]
        if kind in CLOSING:
            check(is_own and event["version"] == len(rejected) + 1, at, "the call is not closed exactly once")
            check(counts_fit(kind, event["schema_version"], parse(data), self.call), at, "the counts are not those of the events")
            self.call = None
            return
        check(index is not None, at, "the event names no record")
        check(index >= self.call["last"], at, "the events are not in the order of the records")
        self.call["last"] = index
        self.call["streams"].add(event["stream"])
        is_alone = kind in ("EmployeeCreated", REJECTED)
        is_twice = index in created or index in rejected or is_alone and index in updated
        check(not is_twice, at, "a record occurs twice in the call")
        check(kind != REJECTED or is_own, at, "the event is not in the stream of its call")
        if is_alone:
            (rejected if kind == REJECTED else created).add(index)
        else:
            updated[index] = updated.get(index, False) or kind in ("EmployeeDeactivated", "EmployeeDeprovisioned")

    def end(self):
        check(self.size or self.checkpoints, None, "there are no events", "unverifiable")
        check(self.unreadable or self.call is None, self.size, "the last call is not closed")
        for position, (_, _, _, is_named) in self.gone.items():
            check(self.unreadable or is_named, position, "the data is missing, and no event explains it")
        largest = max([known["size"] for known in self.checkpoints], default=0)
        check(largest <= self.size, self.size + 1, "the ledger ends before a checkpoint", "diverged")
        check(not self.unreadable, self.unreadable, "an event of an unknown type or schema version", "unverifiable")
        told = "%d events, root %s, %d checkpoints hold, to position %d; the data of %d are erased, of %d were later" % (
            self.size, base64.b64encode(self.root()).decode(), len(self.checkpoints), largest, len(self.gone), len(self.kept))
        return told if self.witnessed is None else told + "; witnessed to position %d" % self.witnessed

def is_known(event):
    return event["type"] in KNOWN and 1 <= event["schema_version"] <= VERSIONS.get(event["type"], 1)

def counts_fit(kind, version, data, call):
    created, updated, rejected = call["created"], call["updated"], call["rejected"]
    data = data if isinstance(data, dict) else {}
    counts, operation = data.get("counts"), data.get("operation")
    counts = [counts.get(name) for name in COUNTS] if isinstance(counts, dict) else [None]
    unchanged = data.get("unchanged") if kind == "ApiCallCompleted" else []
    if not isinstance(operation, str) or operation not in OPERATIONS or not isinstance(unchanged, list) or not all(map(count, counts)):
        return False
    body, creates, failing, *since = OPERATIONS[operation]
    if version < since[kind == "ApiCallFailed"] or body == "one" and counts[0] != 1:
        return False
    if kind == "ApiCallFailed":
        failed = len(rejected) if failing == "refused" and rejected else counts[0]
        fits = not created and not updated and all(index < counts[0] for index in rejected)
        return fits and counts == [counts[0], 0, 0, failed, 0]
    gone, refused, applied = sum(updated.values()), len(rejected), len(created) + len(updated) + len(unchanged)
    total = applied + refused
    fits = all(matches("emp" + ID[8:], employee) for employee in unchanged) and (call["last"] < total or total == 0)
    fits = fits and len(set(unchanged)) == len(unchanged) and not call["streams"].intersection(unchanged)
    fits = fits and (not rejected or applied > 0) and (creates == "unfound" or len(created) == (applied if creates == "all" else 0))
    return fits and counts == [total, len(updated) - gone, gone, refused, len(unchanged)]

def unbase64(text):
    raw = base64.b64decode(text, validate=True)
    if base64.b64encode(raw).decode() != text:
        raise ValueError("not base64")
    return raw

def parse_notes(text):
    notes = []
    form = r"\n*(([^\n]+)\n(0|[1-9][0-9]{0,15})\n([^\n]+)\n(?:[^\n]+\n)*)\n((?:\u2014 [^\s+]+ \S+\n)+)\n*|(?:.|\n)"
    for signed, origin, size, root, lines in re.findall(form, text):
        signatures = [(line.split(" ")[1], unbase64(line.split(" ")[2])) for line in lines.split("\n")[:-1]]
        notes.append({"origin": origin, "size": int(size), "root": unbase64(root), "text": signed.encode(), "signatures": signatures})
    if not notes or any(len(note["root"]) != 32 or any(len(raw) < 5 for _, raw in note["signatures"]) for note in notes):
        raise ValueError("no checkpoints")
    return notes

def read_checkpoints(name):
    with open(name, encoding="utf-8", newline="") as file:
        text = file.read()
    try:
        return parse_notes(text)
    except ValueError:
        raise ValueError("it is not a file of checkpoints, which are signed notes: in the JSON of GET /audit/v1/checkpoint, that is `note`") from None

def parse_key(text, kind=1):  # 1 is the type of keys that sign, 4 that of witnesses
    name, key_id, encoded = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(.+)", text).groups()
    typed = unbase64(encoded)
    if len(typed) != 33 or typed[0] != kind or sha256(name.encode(), b"\n", typed)[:4].hex() != key_id:
        raise ValueError("not a verifier key of this type")
    return name, bytes.fromhex(key_id), typed[1:]

def check_signature(checkpoint, keys):
    known = [(key, raw[4:]) for name, raw in checkpoint["signatures"] for whose, key_id, key in keys if (whose, key_id) == (name, raw[:4])]
    verified = all(ed25519_verifies(key, checkpoint["text"], signature) for key, signature in known)
    check(verified, None, "the signature of the checkpoint is invalid")
    check(known, None, "the checkpoint is not signed with any of the given keys", "unverifiable")

def check_cosignatures(checkpoints, witnesses, quorum):  # c2sp.org/tlog-cosignature
    witnessed = None
    for checkpoint in checkpoints:
        known = [(key, raw[4:]) for name, raw in checkpoint["signatures"] for whose, key_id, key in witnesses if (whose, key_id) == (name, raw[:4])]
        for key, timed in known:
            time = int.from_bytes(timed[:8], "big")
            holds = time < 2 ** 63 and ed25519_verifies(key, b"cosignature/v1\ntime %d\n" % time + checkpoint["text"], timed[8:])
            check(holds, None, "a cosignature of the checkpoint at %d is invalid" % checkpoint["size"])
        if len({key for key, _ in known}) >= quorum:
            witnessed = checkpoint["size"]
    check(witnessed is not None, None, "no checkpoint is cosigned by %d of the given witnesses" % quorum, "unverifiable")
    return witnessed

def ed25519_verifies(key, text, signature):  # RFC 8032 section 5.1.7
    p, q = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493
    d = -121665 * pow(121666, p - 2, p) % p

    def add(a, b):
        k = d * a[0] * b[0] * a[1] * b[1]
        x, y = a[0] * b[1] + b[0] * a[1], a[1] * b[1] + a[0] * b[0]
        return x * pow(1 + k, p - 2, p) % p, y * pow(1 - k, p - 2, p) % p

    def times(scalar, a):
        return add(times(scalar // 2, add(a, a)), a if scalar % 2 else (0, 1)) if scalar else (0, 1)

    def point(raw):
        sign, y = divmod(int.from_bytes(raw, "little"), 2 ** 255)
        square = (y * y - 1) * pow(d * y * y + 1, p - 2, p) % p
        root = pow(square, (p + 3) // 8, p)
        x = root if root * root % p == square else root * pow(2, (p - 1) // 4, p) % p
        return (x if x % 2 == sign else p - x, y) if y < p and x * x % p == square and (x or not sign) else None

    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % q
    base = point((4 * pow(5, p - 2, p) % p).to_bytes(32, "little"))
    return bool(len(signature) == 64 and a and r and s < q and times(s, base) == add(r, times(h, a)))

def verify(lines, checkpoints, keys, witnesses=(), quorum=None):
    """The verdict about the lines of an export: what it is, at which position, why."""
    try:
        ledger = Ledger(checkpoints, keys, witnesses, quorum)
        for line in lines:
            ledger.take(line)
        return "consistent", None, ledger.end() + ("; signed" if keys and checkpoints else "; unsigned")
    except Fault as fault:
        return fault.args

EVENTS, PROOF, NOTE, KEY, PROGRAM, STORY, MANIFEST = "events.ndjson proof.ndjson checkpoint.txt key.txt verify.py READ-ME.html manifest.json".split()
FORMAT, PIECE, MOST = "employee-ledger evidence 1", 1 << 20, 1 << 24
SUMMED = re.compile(r'(.*),\n? *"sum": ?"([0-9a-f]{64})"\n?}\n', re.DOTALL)

class Altered(Exception):
    """What is wrong in an evidence file: its kind, the file and the line, and why."""

class Evidence(Ledger):
    """Rebuilds the root of the whole ledger from some of its events and from the roots of the subtrees between them."""

    def __init__(self, manifest, checkpoint):
        super().__init__([checkpoint], [])
        self.subject, self.in_order, self.last, self.lines, self.company = manifest["subject"], 0, None, {}, manifest["company"]["id"]

    def take_event(self, number, line, proof):
        event, leaf, data = read_line(line, number)
        at, kind, stream = event["position"], event["type"], event["stream"]
        check(event["company_id"] == self.company, number, "the event belongs to another company")
        check(at == proof["position"], number, "the event is at position %d, its proof at %d" % (at, proof["position"]))
        leaf = sha256(b"\0", leaf)
        check(leaf == unbase64(proof["leaf"]), number, "the event is not the one that was proven")
        check(self.size == at - 1, number, "the positions do not ascend")
        check(event["recorded_at"] >= self.time, number, "the time goes backwards")
        check(event["version"] > self.versions.get(stream, 0), number, "the versions of the stream do not ascend")
        self.time, self.versions[stream] = event["recorded_at"], event["version"]
        self.check_order(number, event)
        if data is None:
            self.lines[at] = number
        if not self.unreadable and not is_known(event):
            self.unreadable = number
        if not self.unreadable:
            self.check_erasure(at, kind, event, data)
        self.append(leaf, 1)

    def check_order(self, number, event):  # nothing is left out between the first and the last event of the subject
        kind, at = self.subject["kind"], event["position"]
        if kind == "period":
            start, end = (self.subject[name] or default for name, default in (("from", ""), ("to", "~")))
            is_part, place = start <= event["recorded_at"] < end, at
        else:
            is_part = event["stream" if kind == "employee" else "call_id"] == self.subject["id"]
            place = event["version"] if kind == "employee" else at
        if is_part:
            check(place == self.in_order + 1 or not self.in_order and kind != "employee", number, "an event of the %s before it is missing" % kind)
            self.in_order, self.last = place, event["type"]

    def skip(self, to, roots):  # the complete subtrees of the events that are not in the file, from left to right
        for root in roots:
            width = 1
            while self.size % (2 * width) == 0 and self.size + 2 * width <= to:
                width *= 2
            check(self.size < to, None, "there are too many hashes")
            self.append(unbase64(root), width)
        check(self.size == to, None, "hashes are missing")

def parse_summed(text):
    summed = SUMMED.fullmatch(text)
    value = parse(text) if summed else None
    is_whole = isinstance(value, dict) and [*value][-1] == "sum" and sha256(summed[1].encode()).hex() == summed[2]
    return value if is_whole else None

def read_proof(number, line):
    try:
        proof = parse_summed(line.decode())
    except UnicodeError:
        proof = None
    whole = proof and [*proof] == ["position", "leaf", "before", "sum"] and count(proof["position"]) and isinstance(proof["before"], list)
    if not whole or not all(matches("[A-Za-z0-9+/]{43}=", one) for one in [*proof["before"], proof["leaf"] or 43 * "A" + "="]):
        raise Altered("invalid", "%s, line %d" % (PROOF, number), "the line was altered")
    return proof

def open_evidence(name):
    """Opens files of an evidence file by their names."""
    if os.path.isdir(name):
        return lambda file: open(os.path.join(name, file), "rb")
    return zipfile.ZipFile(name).open

def read_small(opener, file):
    with opener(file) as stream:
        content = stream.read(MOST + 1)
    try:
        if len(content) <= MOST:
            return content.decode()
    except UnicodeError:
        pass
    raise Altered("invalid", file, "the file was altered")

def hash_file(opener, file):
    digest, size = hashlib.sha256(), 0
    with opener(file) as stream:
        for piece in iter(lambda: stream.read(PIECE), b""):
            digest.update(piece)
            size += len(piece)
    return {"name": file, "bytes": size, "sha256": digest.hexdigest()}

def verify_evidence(opener, keys, witnesses=(), quorum=None):
    """The verdict about an evidence file: what it is, in which file and line, why."""
    file, reading = MANIFEST, None
    try:
        manifest = parse_summed(read_small(opener, file))
        if not manifest or manifest.get("format") != FORMAT:
            raise Altered("invalid" if manifest is None else "unverifiable", file, "the file was altered, or is of another version")
        check([listed["name"] for listed in manifest["files"]] == [EVENTS, PROOF, NOTE, KEY, PROGRAM, STORY], None, "it names other files")
        others = []
        for listed in manifest["files"]:
            file = listed["name"]
            if hash_file(opener, file) != listed:
                others.append(file)
        file = KEY
        try:
            given = keys or [parse_key(read_small(opener, file).rstrip("\n"))]
            file = NOTE
            (checkpoint,) = parse_notes(read_small(opener, file))
        except (ValueError, AttributeError):
            raise Altered("invalid", file, "the file was altered") from None
        check(checkpoint["origin"] == "employee-ledger/" + manifest["company"]["id"], None, "the checkpoint is of another ledger")
        check_signature(checkpoint, given)
        is_witnessed = witnesses and check_cosignatures([checkpoint], witnesses, quorum or len(witnesses)) is not None
        verdict = verify_events(opener, manifest, checkpoint)
        for file in others:
            raise Altered("invalid", file, "the file is not the one that the manifest names")
        if not keys and manifest["key"] != read_small(opener, KEY).rstrip("\n"):
            raise Altered("invalid", KEY, "the key is not that of the manifest")
        signer = [key_id for _, key_id, _ in given if key_id in [raw[:4] for _, raw in checkpoint["signatures"]]][0]
        day = datetime.date.fromisoformat(manifest["signed_at"][:10])
        sentence = "%s of %s events are in the ledger of %s at %s events, signed %d %s by key %s" % (
            *(format(number, ",") for number in (verdict.taken, manifest["events"])), manifest["company"]["name"],
            format(checkpoint["size"], ","), day.day, day.strftime("%b %Y"), signer.hex()) + (", and witnessed" if is_witnessed else "")
        return "consistent", None, sentence, len(verdict.gone)
    except Altered as altered:
        return (*altered.args, 0)
    except Fault as fault:
        kind, _, reason = fault.args
        return kind, file, reason, 0
    except KeyError as missing:
        return "invalid", file, "it lacks %s" % str(missing), 0
    except (ValueError, TypeError, IndexError):
        return "invalid", file, "the file was altered", 0

def verify_events(opener, manifest, checkpoint):
    ledger, number = Evidence(manifest, checkpoint), 0
    with opener(EVENTS) as events, opener(PROOF) as proofs:
        for number, (line, proven) in enumerate(itertools.zip_longest(events, proofs), 1):
            if proven is None:
                raise Altered("invalid", "%s, line %d" % (PROOF, number), "the line is missing")
            proof = read_proof(number, proven)
            if (line is None) != (proof["leaf"] is None):
                raise Altered("invalid", "%s, line %d" % (EVENTS, number), "there are more or fewer events than proofs")
            try:
                ledger.skip(proof["position"] - 1, proof["before"])
            except Fault as fault:
                raise Altered("invalid", "%s, line %d" % (PROOF, number), fault.args[2]) from None
            try:
                if line is not None:
                    ledger.take_event(number, line, proof)
            except Fault as fault:
                kind, at, reason = fault.args
                raise Altered(kind, "%s, line %d" % (EVENTS, ledger.lines.get(at, number)), reason) from None
    ledger.taken = number - 1
    for at, (_, _, _, is_named) in ledger.gone.items():
        if not ledger.unreadable and not is_named:
            raise Altered("invalid", "%s, line %d" % (EVENTS, ledger.lines[at]), "the data are missing, and no event in the file explains it")
    if ledger.size != checkpoint["size"] or ledger.root() != checkpoint["root"]:
        raise Altered("diverged", PROOF, "the events and the proof do not lead to the root of the checkpoint")
    if ledger.taken != manifest["events"] or not ledger.in_order:
        raise Altered("invalid", MANIFEST, "it is about other events")
    if ledger.subject["kind"] == "call" and ledger.last not in CLOSING:
        raise Altered("invalid", EVENTS, "the end of the call is missing")
    if ledger.unreadable:
        raise Altered("unverifiable", "%s, line %d" % (EVENTS, ledger.unreadable), "an event of an unknown type or schema version")
    return ledger

def report_evidence(name, keys, witnesses=(), quorum=None):
    try:
        kind, place, reason, erased = verify_evidence(open_evidence(name), keys, witnesses, quorum)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        kind, place, reason, erased = "unverifiable", None, "%s cannot be read: %s" % (name, error), 0
    print(reason if kind == "consistent" else kind + ("" if place is None else " in " + place) + ": " + reason)
    if kind == "consistent" and erased:
        print("the data of %s of them are erased; the events that erased them are in the file" % format(erased, ","))
    if kind == "consistent" and not keys:
        print("the key is the one in the file: compare it with one that you have from elsewhere, or pass that one with --key")
    sys.exit(EXITS[kind])

def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--checkpoint", action="append", default=[])
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--witness", action="append", default=[])
    parser.add_argument("--quorum", type=int)
    given = parser.parse_args()
    try:
        keys, witnesses = [parse_key(key) for key in given.key], [parse_key(key, 4) for key in given.witness]
    except (ValueError, AttributeError):
        parser.error("--key or --witness is not a verifier key")
    if len({key for _, _, key in witnesses}) < len(witnesses) or given.quorum is not None and not 1 <= given.quorum <= len(witnesses):
        parser.error("--quorum is not from 1 to the number of witnesses, or two witnesses have the same key")
    if os.path.isdir(given.file) or given.file.endswith(".zip"):
        report_evidence(given.file, keys, witnesses, given.quorum)
    checkpoints, reading = [], given.file
    try:
        for reading in given.checkpoint:
            checkpoints += read_checkpoints(reading)
        reading = given.file
        with (gzip.open if reading.endswith(".gz") else open)(reading, "rb") as lines:
            kind, position, reason = verify(lines, checkpoints, keys, witnesses, given.quorum)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        kind, position, reason = "unverifiable", None, "%s cannot be read: %s" % (reading, error)
    print(kind + ("" if position is None else " at position %d" % position) + ": " + reason)
    sys.exit(EXITS[kind])

if __name__ == "__main__":
    main()
