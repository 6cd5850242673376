import { sql, type RawBuilder } from 'kysely'
import { findSecretIn } from '#domain/accounts/secrets'
import { isId, toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { hashSecret } from '../users/new-secret.ts'
import { selectTokens, toSeenToken, type SeenToken } from '../users/users.ts'
import { LAST_FOUR, selectApiKeys, toSeenKey, type SeenKey } from './api-keys.ts'
import { trimBlanks } from '#text/normalize-text'

/*
 * Finds the API key or the token of a secret that turned up somewhere. A secret is looked up by its SHA-256 and goes no
 * further: not into a statement, whose parameters a database may log, and not into an answer.
 */

/** What a key or token was found by. */
export const FOUND_BY = ['secret', 'previous_secret', 'id', 'last_four', 'name'] as const
type FoundBy = (typeof FOUND_BY)[number]

/** A key or a token that was found. */
export type FoundSecret = { by: FoundBy } & FoundThing
type FoundThing = { key: SeenKey; token: null } | { key: null; token: SeenToken }

export interface FoundSecrets {
  /** Keys before tokens; of each, the best matches first, then the newest. */
  items: FoundSecret[]
  /** Whether there are more than are listed. */
  isMore: boolean
}

/** What is searched for: the SHA-256 of a secret, or a text that names keys and tokens. */
export type SecretSearch = { hash: Buffer } | { text: string }

/** The keys, and the tokens, that are listed at most. */
const MAX_FOUND = 50

/** Reads what someone entered. If it contains a secret, only the SHA-256 of the secret is used. */
export function readSecretSearch(entered: string): SecretSearch {
  const secret = findSecretIn(entered)
  return secret === null ? { text: trimBlanks(entered) } : { hash: hashSecret(secret) }
}

/**
 * Finds keys and tokens of a company, whatever their status: by a secret that is still stored, or by an id, the last
 * four characters of a secret, or a part of a name.
 */
export async function findSecrets(db: LedgerDb, companyId: string, search: SecretSearch): Promise<FoundSecrets> {
  const keys = await findEach(listKeyConditions(search), async (condition) => {
    const query = selectApiKeys(db, companyId).where(condition).orderBy('k.api_id', 'desc')
    return (await query.limit(MAX_FOUND + 1).execute()).map((row) => ({ key: toSeenKey(row), token: null }))
  })
  const tokens = await findEach(listTokenConditions(search), async (condition) => {
    const query = selectTokens(db, companyId).where(condition).orderBy('token_id', 'desc')
    return (await query.limit(MAX_FOUND + 1).execute()).map((row) => ({ key: null, token: toSeenToken(row) }))
  })
  return {
    items: [...keys.slice(0, MAX_FOUND), ...tokens.slice(0, MAX_FOUND)],
    isMore: keys.length > MAX_FOUND || tokens.length > MAX_FOUND,
  }
}

/** Reads what meets each condition; what meets several is found by the first. */
async function findEach(conditions: Condition[], read: (condition: RawBuilder<boolean>) => Promise<FoundThing[]>) {
  const byId = new Map<string, FoundSecret>()
  for (const [by, condition] of conditions) {
    for (const found of await read(condition)) {
      const { id } = found.key === null ? found.token.token : found.key.key
      if (!byId.has(id)) byId.set(id, { by, ...found })
    }
  }
  return [...byId.values()]
}

type Condition = [FoundBy, RawBuilder<boolean>]

function listKeyConditions(search: SecretSearch): Condition[] {
  if ('hash' in search) {
    return [
      ['secret', sql`k.secret_hash = ${search.hash}`],
      ['previous_secret', sql`k.previous_secret_hash = ${search.hash}`],
    ]
  }
  const { text } = search
  return [
    ...(isId('key', text) ? [['id', sql`k.api_id = ${toUuid(text)}`] satisfies Condition] : []),
    ['last_four', sql`${text} in (${LAST_FOUR.current}, ${LAST_FOUR.previous})`],
    ['name', isPartOf(text, 'k.name')],
  ]
}

function listTokenConditions(search: SecretSearch): Condition[] {
  if ('hash' in search) return [['secret', sql`token_hash = ${search.hash}`]]
  const { text } = search
  return [
    ...(isId('tok', text) ? [['id', sql`token_id = ${toUuid(text)}`] satisfies Condition] : []),
    ['last_four', sql`last_four = ${text}`],
    ['name', isPartOf(text, 'name')],
  ]
}

function isPartOf(text: string, column: string): RawBuilder<boolean> {
  return sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`
}
