import { hash } from 'node:crypto'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'

/*
 * Ways to tamper with an exported ledger, on purpose or by a disk fault. Many are as good as they can be without the
 * key: their numbers and hashes are consistent again.
 */

/** An exported ledger, and the checkpoints that its auditor kept. */
interface Evidence {
  lines: string[]
  checkpoints: string
}

interface Tampered {
  bytes: Buffer
  checkpoints: string
  /** The position where it must be noticed, if known. */
  position?: number
}

interface Line {
  envelope: Record<string, unknown>
  data: string | null
  salt: string | null
}

type Tampering = (random: SeededRandom, evidence: Evidence) => Tampered

/** Tamperings by name. Each makes random choices, and always changes something. */
export const TAMPERINGS: Record<string, Tampering> = {
  'a bit is flipped'(random, evidence) {
    const bytes = bytesOf(evidence.lines)
    const at = random.below(bytes.length)
    bytes[at]! ^= 1 << random.below(8)
    return { ...evidence, bytes }
  },
  'a byte is deleted'(random, evidence) {
    const bytes = bytesOf(evidence.lines)
    const at = random.below(bytes.length)
    return { ...evidence, bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]) }
  },
  'a byte is inserted'(random, evidence) {
    const bytes = bytesOf(evidence.lines)
    const at = random.below(bytes.length + 1)
    return {
      ...evidence,
      bytes: Buffer.concat([bytes.subarray(0, at), Buffer.of(random.below(256)), bytes.subarray(at)]),
    }
  },
  'the file is cut off anywhere': (random, evidence) => {
    const bytes = bytesOf(evidence.lines)
    return { ...evidence, bytes: bytes.subarray(0, random.below(bytes.length)) }
  },
  'a line is written differently': (random, evidence) =>
    edited(random, evidence, (line) => {
      const rewrite = random.pick<(text: string) => string>([
        (text) => text.replace('":', '": '),
        (text) => text.replace('\n', '\r\n'),
        (text) => `${text}\n`,
        (text) => text.replace('actor', '\\u0061ctor'),
        (text) => text.replace(/^\{(.*),("salt":.*)\}$/m, '{$2,$1}'),
        (text) => text.replace('{"envelope"', '{"envelope":"","envelope"'),
      ])
      return rewrite(line)
    }),
  'a member of an envelope is changed': (random, evidence) =>
    edited(random, evidence, (text) => written(changedEnvelope(random, read(text)))),
  'a member of an envelope is left out or added': (random, evidence) =>
    edited(random, evidence, (text) => {
      const line = read(text)
      if (random.chance(0.5)) line.envelope['note'] = 'x'
      else delete line.envelope[random.pick(Object.keys(line.envelope))]
      return written(line)
    }),
  'data are changed': (random, evidence) =>
    edited(random, evidence, (text) => written(changedData(random, read(text))), hasData),
  'data are changed and hashed again': (random, evidence) =>
    edited(random, evidence, (text) => written(resealed(changedData(random, read(text)))), hasData),
  'a salt is changed': (random, evidence) =>
    edited(
      random,
      evidence,
      (text) => {
        const line = read(text)
        const at = random.below(line.salt!.length)
        const digit = ((Number.parseInt(line.salt![at]!, 16) + 1 + random.below(15)) % 16).toString(16)
        return written({ ...line, salt: line.salt!.slice(0, at) + digit + line.salt!.slice(at + 1) })
      },
      hasData,
    ),
  'data are removed': (random, evidence) =>
    edited(random, evidence, (text) => written({ ...read(text), data: null, salt: null }), hasData),
  'erased data are invented': (random, evidence) =>
    edited(
      random,
      evidence,
      (text) => written({ ...read(text), data: '{}', salt: '0'.repeat(32) }),
      (text) => !hasData(text),
    ),
  'erased data are invented and hashed again': (random, evidence) =>
    edited(
      random,
      evidence,
      (text) => written(resealed({ ...read(text), data: '{}', salt: '0'.repeat(32) })),
      (text) => !hasData(text),
    ),
  'an event is deleted'(random, { lines, checkpoints }) {
    const at = random.below(lines.length)
    const without = { bytes: bytesOf(lines.toSpliced(at, 1)), checkpoints }
    // Without the last event, the verifier notices the open call instead.
    return at === lines.length - 1 ? without : { ...without, position: at + 1 }
  },
  'an event is deleted, and the others move up': (random, evidence) =>
    renumbered(evidence, (lines) => lines.toSpliced(random.below(lines.length), 1)),
  'an event is repeated'(random, { lines, checkpoints }) {
    const at = random.below(lines.length)
    return { bytes: bytesOf(lines.toSpliced(at, 0, lines[at]!)), checkpoints, position: at + 2 }
  },
  'an event is repeated, and the others move down': (random, evidence) =>
    renumbered(evidence, (lines) => lines.toSpliced(random.below(lines.length), 0, random.pick(lines))),
  'two events are swapped'(random, { lines, checkpoints }) {
    const [a, b] = twoOf(random, lines.length)
    return { bytes: bytesOf(swapped(lines, a, b)), checkpoints, position: a + 1 }
  },
  'two events are swapped with their positions': (random, evidence) =>
    renumbered(evidence, (lines) => swapped(lines, ...twoOf(random, lines.length))),
  'a call is deleted, and the others move up': (random, evidence) =>
    renumbered(evidence, (lines) => {
      const calls = [...new Set(lines.map((text) => read(text).envelope['call_id']))].filter((id) => id !== null)
      const gone = random.pick(calls)
      return lines.filter((text) => read(text).envelope['call_id'] !== gone)
    }),
  'the last events are cut off'(random, { lines, checkpoints }) {
    return { bytes: bytesOf(lines.slice(0, random.below(lines.length))), checkpoints }
  },
  'an old export is shown under a new checkpoint'(random, { lines, checkpoints }) {
    const ends = lines.flatMap((text, at) => (read(text).envelope['type'] === 'ApiCallCompleted' ? [at + 1] : []))
    return {
      bytes: bytesOf(lines.slice(0, random.pick(ends.slice(0, -1)))),
      checkpoints: `${notesOf(checkpoints).at(-1)!}\n`,
    }
  },
  'data are removed by a forged retirement': (random, evidence) =>
    renumbered(evidence, (lines) => {
      const positions = [1 + random.below(lines.length)]
      const emptied = lines.map((text, at) =>
        positions.includes(at + 1) ? written({ ...read(text), data: null, salt: null }) : text,
      )
      const like = read(lines.findLast((text) => read(text).envelope['type'] === 'RecordsRetired')!)
      const last = lines.findLastIndex((text) => read(text).envelope['stream'] === like.envelope['stream'])
      const version = (read(lines[last]!).envelope['version'] as number) + 1
      const forged = resealed({ ...like, envelope: { ...like.envelope, version }, data: JSON.stringify({ positions }) })
      return emptied.toSpliced(last + 1, 0, written(forged))
    }),
  'an event of another company is spliced in': (random, evidence) =>
    edited(random, evidence, (text) => {
      const line = read(text)
      return written({ ...line, envelope: { ...line.envelope, company_id: 'com_01h455vb4pex5vsknk084sn02q' } })
    }),
  'all events are given to another company': (_, { lines, checkpoints }) => {
    const company = String(read(lines[0]!).envelope['company_id'])
    return {
      bytes: bytesOf(lines.map((text) => text.replaceAll(company, 'com_01h455vb4pex5vsknk084sn02q'))),
      checkpoints,
    }
  },
  'a bit of a checkpoint is flipped'(random, { lines, checkpoints }) {
    const bytes = Buffer.from(checkpoints)
    // The bytes between two notes belong to neither.
    const notes = [...checkpoints.matchAll(/\n\n(?=employee)/g)].map(
      ({ index }) => Buffer.byteLength(checkpoints.slice(0, index)) + 1,
    )
    const places = Array.from(bytes.keys()).filter((at) => !notes.includes(at))
    bytes[random.pick(places)]! ^= 1 << random.below(8)
    return { bytes: bytesOf(lines), checkpoints: bytes.toString('latin1') }
  },
}

function bytesOf(lines: string[]): Buffer {
  return Buffer.from(lines.join(''))
}

function read(text: string): Line {
  const { envelope, ...line } = JSON.parse(text)
  return { ...line, envelope: JSON.parse(envelope) }
}

function written({ envelope, data, salt }: Line): string {
  return `${JSON.stringify({ envelope: canonicalJson(envelope), data, salt })}\n`
}

function hasData(text: string): boolean {
  return read(text).data !== null
}

/** Edits one line that fits. */
function edited(
  random: SeededRandom,
  { lines, checkpoints }: Evidence,
  edit: (text: string) => string,
  fits: (text: string) => boolean = () => true,
): Tampered {
  const at = random.pick(lines.flatMap((text, index) => (fits(text) ? [index] : [])))
  return { bytes: bytesOf(lines.with(at, edit(lines[at]!))), checkpoints }
}

/** Moves lines, and gives each its new position and the version of its stream there. */
function renumbered({ lines, checkpoints }: Evidence, move: (lines: string[]) => string[]): Tampered {
  const versions = new Map<unknown, number>()
  let time = ''
  const moved = move(lines).map((text, at) => {
    const line = read(text)
    const version = (versions.get(line.envelope['stream']) ?? 0) + 1
    versions.set(line.envelope['stream'], version)
    time = time > String(line.envelope['recorded_at']) ? time : String(line.envelope['recorded_at'])
    return written({ ...line, envelope: { ...line.envelope, position: at + 1, version, recorded_at: time } })
  })
  return { bytes: bytesOf(moved), checkpoints }
}

function resealed(line: Line): Line {
  const data_hash = hash('sha256', Buffer.concat([Buffer.from(line.salt!, 'hex'), Buffer.from(line.data!)]), 'hex')
  return { ...line, envelope: { ...line.envelope, data_hash } }
}

function changedEnvelope(random: SeededRandom, line: Line): Line {
  const name = random.pick(Object.keys(line.envelope))
  return { ...line, envelope: { ...line.envelope, [name]: other(random, line.envelope[name]) } }
}

function changedData(random: SeededRandom, line: Line): Line {
  const data = JSON.parse(line.data!) as Record<string, unknown>
  const name = random.pick([...Object.keys(data), 'more'])
  return { ...line, data: canonicalJson({ ...data, [name]: other(random, data[name]) }) }
}

/** A different value, of the same kind or another. */
function other(random: SeededRandom, value: unknown): unknown {
  if (random.chance(0.2))
    return random.pick(
      [null, '', 'x', -1, 1.5, true, [], {}].filter(
        (instead) => canonicalJson(instead) !== canonicalJson(value ?? null),
      ),
    )
  if (typeof value === 'number') return value + random.pick([-1, 1, 2 ** 53])
  if (typeof value !== 'string') return random.pick([7, 'y'])
  const at = random.below(value.length + 1)
  return random.pick([
    `${value}x`,
    `${value.slice(0, at)}0${value.slice(at + 1)}0`,
    value.toUpperCase() === value ? 'y' : value.toUpperCase(),
  ])
}

function twoOf(random: SeededRandom, count: number): [number, number] {
  const [a = 0, b = 1] = random
    .sample(
      Array.from({ length: count }, (_, at) => at),
      2,
    )
    .sort((x, y) => x - y)
  return [a, b]
}

function swapped(lines: string[], a: number, b: number): string[] {
  return lines.with(a, lines[b]!).with(b, lines[a]!)
}

function notesOf(checkpoints: string): string[] {
  return checkpoints.split(/\n(?=employee-ledger)/)
}
