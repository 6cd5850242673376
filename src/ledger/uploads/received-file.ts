import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/pool'

/** The bytes of a file that one row of `upload_pieces` has, and that are held while it is received. */
export const PIECE = 262_144

const CIPHER = 'aes-256-ctr'
const KEY_BYTES = 32
/** Each key encrypts one file. */
const IV = Buffer.alloc(16)
/** How long a file is stored after it was uploaded, and again after it begins to be applied. */
export const STORED_FOR = "interval '1 day'"
/** How long pieces are stored of a file that is still being received or read. */
const RECEIVED_FOR = "interval '1 hour'"

/**
 * A file that is being received. Whoever sends it waits while a piece is stored; a small one is held until it is kept.
 * What is stored can be read with a key that this process alone has, until the file is kept.
 */
export class ReceivedFile {
  /** That of the upload, or of the question, that it becomes. */
  readonly id: string
  readonly #db: Queryable
  readonly #companyId: string
  readonly #key = randomBytes(KEY_BYTES)
  readonly #cipher = createCipheriv(CIPHER, this.#key, IV)
  readonly #held = Buffer.allocUnsafeSlow(PIECE)
  #heldBytes = 0
  #pieces = 0
  #isKept = false

  constructor(db: Queryable, companyId: string, id: string) {
    this.id = id
    this.#db = db
    this.#companyId = companyId
  }

  get bytes(): number {
    return this.#pieces * PIECE + this.#heldBytes
  }

  /** Takes the next bytes of the file, which may be overwritten then. */
  async add(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.copy(this.#held, this.#heldBytes, at)
      at += taken
      this.#heldBytes += taken
      if (this.#heldBytes < PIECE) continue
      await this.#store(this.#db)
      this.#heldBytes = 0
      this.#pieces += 1
    }
  }

  async #store(db: Queryable): Promise<void> {
    const content = this.#cipher.update(this.#held.subarray(0, this.#heldBytes))
    await db.query(
      `insert into upload_pieces (company_id, upload_id, piece, content, expires_at)
       values ($1, $2, $3, $4, statement_timestamp() + ${RECEIVED_FOR})`,
      [...this.#ids, this.#pieces, content],
    )
  }

  get #ids(): string[] {
    return [toUuid(this.#companyId), toUuid(this.id)]
  }

  /** Reads what was received, piece by piece; again and again, once all of it was. */
  async *read(): AsyncGenerator<Buffer, void> {
    const decipher = openDecipher(this.#key)
    for (let piece = 0; piece < this.#pieces; piece += 1) {
      const { rows } = await this.#db.query<{ content: Buffer }>(
        'select content from upload_pieces where company_id = $1 and upload_id = $2 and piece = $3',
        [...this.#ids, piece],
      )
      if (!rows[0]) throw new Error('A file was received or read for too long')
      yield decipher.update(rows[0].content)
    }
    if (this.#heldBytes > 0) yield this.#held.subarray(0, this.#heldBytes)
  }

  /** Keeps the file for a day, in a transaction that stores the key, which is returned. */
  async keep(db: Queryable): Promise<Buffer> {
    if (this.#heldBytes > 0) await this.#store(db)
    await db.query(
      `update upload_pieces set expires_at = statement_timestamp() + ${STORED_FOR}
       where company_id = $1 and upload_id = $2`,
      this.#ids,
    )
    this.#isKept = true
    return this.#key
  }

  /** Deletes what was stored of it, unless it is kept. */
  async end(): Promise<void> {
    if (this.#isKept || this.#pieces === 0) return
    // Otherwise, they are deleted when their hour is over.
    await deletePieces(this.#db, this.#companyId, [toUuid(this.id)]).catch(() => undefined)
  }
}

/** Decrypts the pieces of a file, in order. */
export function openDecipher(key: Buffer) {
  return createDecipheriv(CIPHER, key, IV)
}

/** Deletes the pieces of files, whose ids are UUIDs. */
export async function deletePieces(db: Queryable, companyId: string, uploadIds: readonly string[]): Promise<void> {
  await db.query('delete from upload_pieces where company_id = $1 and upload_id = any($2)', [
    toUuid(companyId),
    uploadIds,
  ])
}
