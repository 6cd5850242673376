import { sql, type RawBuilder } from 'kysely'
import { findSecretIn } from '../../domain/accounts/secrets.ts'
import { isId, toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { hashSecret } from '../users/new-secret.ts'
import { SELECT_TOKENS, toTokenRecord, type SeenToken, type TokenRow } from '../users/read-user-tokens.ts'
import { LAST_FOUR, SELECT_API_KEYS, toApiKeyRecord, type ApiKeyRow, type SeenKey } from './read-api-keys.ts'

/*
 * Finds the API key or the token of a secret that turned up somewhere. A secret is looked up by its SHA-256 and goes no
 * further: not into a statement, whose parameters a database may log, and not into an answer.
 */

/** What a key or token was found by. */
export const FOUND_BY = ['secret', 'previous_secret', 'id', 'last_four', 'name'] as const
type FoundBy = (typeof FOUND_BY)[number]

/** A key or a token that was found. */
export type FoundSecret = { by: FoundBy } & ({ key: SeenKey; token: null } | { key: null; token: SeenToken })

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
  return secret === null ? { text: entered.trim() } : { hash: hashSecret(secret) }
}

/**
 * Finds keys and tokens of a company, whatever their status: by a secret that is still stored, or by an id, the last
 * four characters of a secret, or a part of a name.
 */
export async function findSecrets(db: LedgerDb, companyId: string, search: SecretSearch): Promise<FoundSecrets> {
  const keys = await findRows<ApiKeyRow>(listKeyConditions(search), 'api_id', (condition) =>
    sql<ApiKeyRow>`${sql.raw(SELECT_API_KEYS)} where k.company_id = ${toUuid(companyId)} and ${condition}
      order by k.api_id desc limit ${MAX_FOUND + 1}`.execute(db),
  )
  const tokens = await findRows<TokenRow>(listTokenConditions(search), 'token_id', (condition) =>
    sql<TokenRow>`${sql.raw(SELECT_TOKENS)} where company_id = ${toUuid(companyId)} and ${condition}
      order by token_id desc limit ${MAX_FOUND + 1}`.execute(db),
  )
  return {
    items: [
      ...keys.slice(0, MAX_FOUND).map(([by, row]): FoundSecret => {
        return { by, key: { key: toApiKeyRecord(row), now: row.now }, token: null }
      }),
      ...tokens.slice(0, MAX_FOUND).map(([by, row]): FoundSecret => {
        return { by, key: null, token: { token: toTokenRecord(row), now: row.now } }
      }),
    ],
    isMore: keys.length > MAX_FOUND || tokens.length > MAX_FOUND,
  }
}

/** Reads the rows of each condition; a row that meets several is found by the first. */
async function findRows<Row>(
  conditions: Condition[],
  idColumn: keyof Row,
  read: (condition: RawBuilder<unknown>) => Promise<{ rows: Row[] }>,
): Promise<[FoundBy, Row][]> {
  const byId = new Map<unknown, [FoundBy, Row]>()
  for (const [by, condition] of conditions) {
    const { rows } = await read(condition)
    for (const row of rows) if (!byId.has(row[idColumn])) byId.set(row[idColumn], [by, row])
  }
  return [...byId.values()]
}

type Condition = [FoundBy, RawBuilder<unknown>]

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
    ['last_four', sql`${text} in (${sql.raw(LAST_FOUR.current)}, ${sql.raw(LAST_FOUR.previous)})`],
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

function isPartOf(text: string, column: string): RawBuilder<unknown> {
  return sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`
}
