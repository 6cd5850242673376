// Verifies an evidence file in the browser, after docs/audit-format.md. Nothing is sent anywhere.

import * as zip from './zip.js'

const form = document.querySelector('#evidence')
const output = document.querySelector('#verdict')
const FORMAT = 'employee-ledger evidence 1'
const FILES = ['events.ndjson', 'proof.ndjson', 'checkpoint.txt', 'key.txt', 'verify.py', 'READ-ME.html']
/** The bytes of a file that is read as a whole. */
const MOST = 16 * 1024 * 1024
/** By erasing type, the types whose data it may erase; and by type, the latest version of its schema. */
const ERASABLE = JSON.parse(form.dataset.erasable)
const VERSIONS = JSON.parse(form.dataset.versions)
const CLOSING = ['ApiCallCompleted', 'ApiCallFailed']

/** What is wrong, and where. */
class Fault extends Error {
  constructor(place, reason) {
    super(`${place}: ${reason}`)
  }
}

function check(holds, place, reason) {
  if (!holds) throw new Fault(place, reason)
}

const utf8 = new TextEncoder()
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16))
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes))
const isEqual = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at])

/** Returns what a text or bytes mean; null if they cannot be read. */
function attempt(read) {
  try {
    return read()
  } catch {
    return null
  }
}

const parse = (text) => attempt(() => JSON.parse(text))

/** Decodes UTF-8; null for anything else. */
const decode = (bytes) => attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))

/** Decodes base64; null for anything else. */
function fromBase64(text) {
  const bytes = attempt(() => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  return bytes && toBase64(bytes) === text ? bytes : null
}

function concat(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const leafHash = (envelope) => sha256(concat(Uint8Array.of(0), utf8.encode(envelope)))
const nodeHash = (left, right) => sha256(concat(Uint8Array.of(1), left, right))

/** The roots of the complete subtrees of a tree that grows to the right. */
class Tree {
  size = 0
  roots = []

  /** Appends a complete subtree of so many leaves. */
  async append(root, width) {
    let [node, number] = [root, this.size / width]
    for (; number % 2 === 1; number = (number - 1) / 2) node = await nodeHash(this.roots.pop(), node)
    this.roots.push(node)
    this.size += width
  }

  /** Appends the roots of the subtrees up to a size, from left to right. */
  async skip(to, roots, place) {
    for (const root of roots) {
      let width = 1
      while (this.size % (2 * width) === 0 && this.size + 2 * width <= to) width *= 2
      check(this.size < to, place, 'there are too many hashes')
      await this.append(root, width)
    }
    check(this.size === to, place, 'hashes are missing')
  }

  async root() {
    let node = this.roots.at(-1)
    for (const left of this.roots.slice(0, -1).toReversed()) node = await nodeHash(left, node)
    return node
  }
}

/** Parses an object whose last member is the hash of what precedes it; null for anything else. */
async function parseSummed(text) {
  const [, content, sum] = /^(.*),\n? *"sum": ?"([0-9a-f]{64})"\n?}\n$/s.exec(text) ?? []
  return content !== undefined && toHex(await sha256(utf8.encode(content))) === sum ? parse(text) : null
}

/** Reads a whole small file. */
async function readSmall(entries, name) {
  const entry = entries.get(name)
  check(entry, name, 'the file is missing')
  check(entry.uncompressedSize <= MOST, name, 'the file is too large')
  return entry.getData(new zip.Uint8ArrayWriter(), { checkSignature: true })
}

/** Yields the lines of a file with their line feeds, as they are unpacked. */
async function* readLines(entries, name) {
  const entry = entries.get(name)
  check(entry, name, 'the file is missing')
  const { readable, writable } = new TransformStream()
  const unpacking = entry.getData(writable, { checkSignature: true })
  unpacking.catch(() => undefined)
  const reader = readable.getReader()
  let rest = new Uint8Array()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    let from = 0
    for (let end = value.indexOf(10); end >= 0; end = value.indexOf(10, from)) {
      yield concat(rest, value.subarray(from, end + 1))
      ;[rest, from] = [new Uint8Array(), end + 1]
    }
    rest = concat(rest, value.subarray(from))
  }
  await unpacking
  if (rest.length > 0) yield rest
}

/** Reads a checkpoint and checks its signature. */
async function readCheckpoint(note, key, companyId) {
  const place = 'checkpoint.txt'
  const [, text, origin, size, root, lines] =
    /^(([^\n]+)\n(0|[1-9][0-9]{0,15})\n([^\n]+)\n(?:[^\n]+\n)*)\n((?:\u2014 [^\s+]+ \S+\n)+)$/.exec(note ?? '') ?? []
  check(text !== undefined, place, 'the file was altered')
  check(origin === `employee-ledger/${companyId}`, place, 'the checkpoint is of another ledger')
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(.+)\n$/.exec(key ?? '') ?? []
  const typed = fromBase64(encoded ?? '')
  const isKey = typed?.length === 33 && typed[0] === 1
  const expectedId = isKey && toHex((await sha256(concat(utf8.encode(`${name}\n`), typed))).subarray(0, 4))
  check(isKey && expectedId === id, 'key.txt', 'the file was altered')
  const signatures = lines.split('\n').flatMap((line) => {
    const raw = line.startsWith(`\u2014 ${name} `) ? fromBase64(line.split(' ')[2]) : null
    return raw && toHex(raw.subarray(0, 4)) === id ? [raw.subarray(4)] : []
  })
  const verifier = await crypto.subtle.importKey('raw', typed.subarray(1), { name: 'Ed25519' }, false, ['verify'])
  const verdicts = await Promise.all(
    signatures.map((signature) => crypto.subtle.verify('Ed25519', verifier, signature, utf8.encode(text))),
  )
  check(verdicts.length > 0 && verdicts.every(Boolean), place, 'the signature of the checkpoint is invalid')
  const rootBytes = fromBase64(root)
  check(rootBytes?.length === 32, place, 'the file was altered')
  return { size: Number(size), root: rootBytes, keyId: id, encodedKey: encoded }
}

const ENVELOPE = 'actor call_id company_id data_hash index position recorded_at schema_version stream type version'

/** Reads a line of events and checks what it says about itself. */
async function readEvent(bytes, place) {
  const line = decode(bytes)
  const row = line?.endsWith('\n') ? parse(line.slice(0, -1)) : null
  const isWhole = row && Object.keys(row).join() === 'envelope,data,salt' && `${JSON.stringify(row)}\n` === line
  const { envelope, data, salt } = isWhole ? row : {}
  check(typeof envelope === 'string', place, 'the line is not in the form of an export')
  const event = parse(envelope)
  const isCanonical = event && Object.keys(event).join(' ') === ENVELOPE && JSON.stringify(event) === envelope
  check(isCanonical, place, 'the envelope is not canonical')
  check((data === null) === (salt === null), place, 'only one of data and salt is null')
  if (data !== null) {
    check(typeof data === 'string' && /^[0-9a-f]{32}$/.test(salt), place, 'data or salt have another form')
    const hash = toHex(await sha256(concat(fromHex(salt), utf8.encode(data))))
    check(hash === event.data_hash, place, 'the data are not those hashed')
  }
  return { event, data, leaf: await leafHash(envelope) }
}

/** Reads a line of the proof. */
async function readProof(bytes, place) {
  const proof = await parseSummed(decode(bytes) ?? '')
  const isProof = proof && Object.keys(proof).join() === 'position,leaf,before,sum' && Array.isArray(proof.before)
  const before = isProof ? proof.before.map((root) => fromBase64(String(root))) : []
  check(isProof && before.every((root) => root?.length === 32), place, 'the line was altered')
  return { ...proof, before }
}

/** Checks what events say about one another: order, erasures, and that none of the subject's is left out. */
class Story {
  time = ''
  versions = new Map()
  /** Events without data, by position, until an erasing event explains them. */
  gone = new Map()
  erased = 0
  inOrder = 0
  last = null

  constructor({ company, subject }) {
    this.companyId = company.id
    this.subject = subject
  }

  take(event, data, place) {
    const { type, stream, position } = event
    check(event.company_id === this.companyId, place, 'the event belongs to another company')
    check(event.recorded_at >= this.time, place, 'the time goes backwards')
    check(event.version > (this.versions.get(stream) ?? 0), place, 'the versions of the stream do not ascend')
    this.time = event.recorded_at
    this.versions.set(stream, event.version)
    check(event.schema_version <= (VERSIONS[type] ?? 0), place, 'an event of an unknown type or schema version')
    this.checkOrder(event, place)
    if (data === null) {
      const mayBeGone = Object.values(ERASABLE).some((types) => types.includes(type))
      check(mayBeGone, place, 'data of this type are never erased')
      this.gone.set(position, { type, stream, actor: event.actor, place })
      this.erased += 1
    } else if (type in ERASABLE) this.explain(type, stream, data, place)
  }

  explain(by, stream, data, place) {
    const { positions } = parse(data) ?? {}
    check(Array.isArray(positions), place, 'bad positions')
    for (const position of positions) {
      const named = this.gone.get(position)
      if (!named) continue
      const isTheirs =
        by === 'RecordsRetired' ||
        named.type === 'EmployeeRecordRejected' ||
        named.stream === stream ||
        (named.type === 'FileUploaded' && (by === 'EmployeeErased' || named.actor === stream))
      check(ERASABLE[by].includes(named.type) && isTheirs, named.place, 'the event that erased it cannot be about it')
      this.gone.delete(position)
    }
  }

  checkOrder(event, place) {
    const { kind, id, from, to } = this.subject
    const isPart =
      kind === 'period'
        ? event.recorded_at >= (from ?? '') && event.recorded_at < (to ?? '~')
        : event[kind === 'employee' ? 'stream' : 'call_id'] === id
    if (!isPart) return
    const number = kind === 'employee' ? event.version : event.position
    const follows = number === this.inOrder + 1 || (this.inOrder === 0 && kind !== 'employee')
    check(follows, place, `an event of the ${kind} before it is missing`)
    this.inOrder = number
    this.last = event.type
  }

  end() {
    for (const { place } of this.gone.values())
      throw new Fault(place, 'the data are missing, and no event in the file explains it')
    check(this.inOrder > 0, 'manifest.json', 'it is about other events')
    const isClosed = this.subject.kind !== 'call' || CLOSING.includes(this.last)
    check(isClosed, 'events.ndjson', 'the end of the call is missing')
  }
}

/** Verifies an evidence file. Returns what it proves, or throws a Fault. */
async function verify(file, onProgress) {
  const listed = await new zip.ZipReader(new zip.BlobReader(file)).getEntries()
  const entries = new Map(listed.map((entry) => [entry.filename.replace(/^[^/]+\/(?=[^/]+$)/, ''), entry]))
  const manifest = await parseSummed(decode(await readSmall(entries, 'manifest.json')) ?? '')
  check(manifest?.format === FORMAT, 'manifest.json', 'the file was altered, or is of another version')
  check(manifest.files.map(({ name }) => name).join() === FILES.join(), 'manifest.json', 'it names other files')
  const read = async (name) => decode(await readSmall(entries, name))
  const key = await read('key.txt')
  const checkpoint = await readCheckpoint(await read('checkpoint.txt'), key, manifest.company.id)
  const [tree, story] = [new Tree(), new Story(manifest)]
  const events = readLines(entries, 'events.ndjson')
  let count = 0
  for await (const bytes of readLines(entries, 'proof.ndjson')) {
    const [eventPlace, proofPlace] = ['events', 'proof'].map((name) => `${name}.ndjson, line ${count + 1}`)
    const proof = await readProof(bytes, proofPlace)
    await tree.skip(proof.position - 1, proof.before, proofPlace)
    const { done, value } = await events.next()
    check(done === (proof.leaf === null), eventPlace, 'there are more or fewer events than proofs')
    if (done) break
    const { event, data, leaf } = await readEvent(value, eventPlace)
    check(event.position === proof.position, eventPlace, 'the event and its proof are at different positions')
    check(toBase64(leaf) === proof.leaf, eventPlace, 'the event is not the one that was proven')
    story.take(event, data, eventPlace)
    await tree.append(leaf, 1)
    count += 1
    if (count % 1_000 === 0) onProgress(count, manifest.events)
  }
  story.end()
  const isRoot = tree.size === checkpoint.size && isEqual((await tree.root()) ?? [], checkpoint.root)
  check(isRoot, 'proof.ndjson', 'the events and the proof do not lead to the root of the checkpoint')
  check(count === manifest.events, 'manifest.json', 'it counts other events')
  check(`${manifest.key}\n` === key, 'key.txt', 'the key is not that of the manifest')
  // Every byte of the events and of the proof has been checked above.
  for (const { name, bytes, sha256: hash } of manifest.files.slice(2)) {
    const content = await readSmall(entries, name)
    const isNamed = content.length === bytes && toHex(await sha256(content)) === hash
    check(isNamed, name, 'the file is not the one that the manifest names')
  }
  return { manifest, checkpoint, count, erased: story.erased }
}

const number = new Intl.NumberFormat('en').format
const day = (time) => new Date(time).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

function show(kind, role, ...texts) {
  output.className = kind
  output.setAttribute('role', role)
  output.replaceChildren(...texts.map((text) => Object.assign(document.createElement('p'), { textContent: text })))
}

function describe({ manifest, checkpoint, count, erased }) {
  const isOurs = [...document.querySelectorAll('#keys code')].some((key) => key.textContent === checkpoint.encodedKey)
  const proven = `${number(count)} of ${number(manifest.events)} events are in the ledger of ${manifest.company.name}`
  const signed = `signed ${day(manifest.signed_at)} by key ${checkpoint.keyId}`
  return [
    `${proven} at ${number(checkpoint.size)} events, ${signed}.`,
    erased === 0
      ? ''
      : `The data of ${number(erased)} of them are erased; the events that erased them are in the file.`,
    isOurs
      ? 'The key is one of those of this service.'
      : 'The key is none of those of this service. Compare it with one that you have from elsewhere.',
  ].filter((text) => text !== '')
}

async function verifyFile(file) {
  show('hint', 'status', `Verifying ${file.name}…`)
  try {
    const result = await verify(file, (count, all) =>
      show('hint', 'status', `Verified ${number(count)} of ${number(all)} events.`),
    )
    show('notice', 'status', ...describe(result))
  } catch (error) {
    const isUnsupported = error instanceof DOMException && error.name === 'NotSupportedError'
    const reason = isUnsupported ? 'This browser cannot check Ed25519 signatures. Use verify.py.' : error.message
    const isFault = error instanceof Fault
    show('alert', 'alert', isFault ? `Not verified. ${reason}.` : `The file could not be verified: ${reason}`)
  }
}

if (globalThis.crypto?.subtle) {
  zip.configure({ useWebWorkers: false })
  form.hidden = false
  const input = form.querySelector('input[type=file]')
  input.addEventListener('change', () => {
    if (input.files[0]) void verifyFile(input.files[0])
  })
} else show('hint', 'status', 'This page can verify files only over HTTPS. Use verify.py.')
