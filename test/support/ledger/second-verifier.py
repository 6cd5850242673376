"""Verifies an export for each line of JSON, which has `export` (base64), `checkpoints` and `keys`."""
import base64, functools, io, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs"))
sys.dont_write_bytecode = True
import verify_ledger

# The same few signatures recur.
verify_ledger.ed25519_verifies = functools.lru_cache(None)(verify_ledger.ed25519_verifies)

for line in sys.stdin:
    task = json.loads(line)
    try:
        notes = task["checkpoints"]
        checkpoints = [] if notes is None else verify_ledger.parse_notes(base64.b64decode(notes).decode())
    except ValueError as error:
        verdict = ("unverifiable", None, str(error))
    else:
        keys = [verify_ledger.parse_key(key) for key in task["keys"]]
        lines = io.BytesIO(base64.b64decode(task["export"]))
        verdict = verify_ledger.verify(lines, checkpoints, keys)
    print(json.dumps(verdict))
