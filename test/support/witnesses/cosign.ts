import type { KeyObject } from 'node:crypto'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'

/* Cosignatures as https://c2sp.org/tlog-cosignature describes them, written without the program's code. */

/** The key of a witness. */
export interface WitnessKey {
  name: string
  id: Buffer
  privateKey: KeyObject
  /** `name+id+key` */
  verifierKey: string
}

const TYPE = Buffer.of(4)

export function makeWitnessKey(name: string): WitnessKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const typed = Buffer.concat([TYPE, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4)
  return { name, id, privateKey, verifierKey: `${name}+${id.toString('hex')}+${typed.toString('base64')}` }
}

/** The signature line, with its line feed. `time` is in seconds since the epoch. */
export function cosign(text: string, { name, id, privateKey }: WitnessKey, time = 1_679_315_147n): string {
  const timestamp = Buffer.alloc(8)
  timestamp.writeBigUInt64BE(time)
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
  return `— ${name} ${Buffer.concat([id, timestamp, signature]).toString('base64')}\n`
}

/** A note with cosignatures of these witnesses. */
export function cosignNote(note: string, ...keys: WitnessKey[]): string {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  return note + keys.map((key) => cosign(text, key)).join('')
}
