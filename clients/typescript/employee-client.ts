import { randomUUID } from 'node:crypto'
import createClient from 'openapi-fetch'
import type { Client } from 'openapi-fetch'
import type * as api from './api-schemas.ts'
import type { paths } from './api-types.ts'
import { type AttemptInit, type AttemptSettings, sendWithRetries, SYSTEM_CLOCK } from './attempts.ts'
import { type Batches, type BatchOptions, type Records, inBatches } from './batches.ts'
import { serializeBody } from './json-text.ts'
import type { AbortSignal, Response } from './web-types.ts'

/** Where the service is, whose key it is, and the bounds of each call. */
export interface ClientSettings extends Partial<AttemptSettings> {
  baseUrl: string
  apiId: string
  apiKey: string
}

export interface CallOptions {
  /** Aborts the call: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

export interface WriteOptions extends CallOptions {
  /** A random one by default. Pass your own to repeat a call safely in another process. */
  idempotencyKey?: string | undefined
  /** Answers what would happen, and stores nothing. */
  validateOnly?: boolean | undefined
}

export interface BulkOptions extends WriteOptions {
  /** With `false`, the call applies every record that can be applied, and answers with the errors of the others. */
  allOrNone?: boolean | undefined
}

export interface UpsertOptions extends BulkOptions {
  /**
   * With `true`, a record whose `external_id` finds nobody updates the active employee who has its `email` and no
   * `external_id`, who gets that `external_id`.
   */
  linkByEmail?: boolean | undefined
  /**
   * With `true`, a record with a `start_date` after the `termination_date` that its employee has clears that date, if it
   * sends none: for people who come back.
   */
  clearEndDates?: boolean | undefined
}

/** Of a batch of upserts, the same for all of its calls. */
type LinkingAll = Pick<UpsertOptions, 'linkByEmail' | 'clearEndDates'>

/** A call that applies what can be applied. It rejects, as any other, if that is nothing. */
type Partly = BulkOptions & { allOrNone: false }
type Wholly = BulkOptions & { allOrNone?: true | undefined }
type PartlyAll = BatchOptions & { allOrNone: false }
type WhollyAll = BatchOptions & { allOrNone?: true | undefined }

export interface UpdateOptions extends WriteOptions {
  /** Updates the employee only in this `version`: throws a `ConflictError` (`precondition_failed`) otherwise. */
  ifVersion?: number | undefined
}

/** The answer of a writing call. */
export type Written<T> = T & {
  /** The position of the change in the ledger, for `min_position`; null if nothing was stored. */
  position: number | null
  /** Whether this is the stored answer of an earlier call with the same idempotency key. */
  replayed: boolean
}

type Sending<T> = (init: AttemptInit) => Promise<{ data?: T; error?: unknown; response: Response }>
type WriteParams = {
  header: { 'Idempotency-Key': string }
  query: { validate_only?: boolean; all_or_none?: boolean; link_by_email?: boolean; clear_end_dates?: boolean }
}

const PAGE = 200

/** Never repeats the address, which may have a password. */
function assertAddress(baseUrl: string): void {
  if (!URL.canParse(baseUrl)) return
  const { username, password, search, hash, pathname } = new URL(baseUrl)
  if (username !== '' || password !== '') throw new TypeError('baseUrl must not have a user name or password')
  if (search !== '' || hash !== '') throw new TypeError('baseUrl must not have a query or fragment')
  if (/\/v1(?:\/|$)/.test(pathname)) throw new TypeError('baseUrl is the address of the service, without /v1')
}

/** A client of the public API. */
export class EmployeeClient {
  readonly #api: Client<paths>
  readonly #settings: AttemptSettings

  /**
   * Throws TypeError if `apiId` or `apiKey` cannot be sent in a header, for example because of a line feed, or if
   * `baseUrl` has what the address of a service has not.
   */
  constructor({ baseUrl, apiId, apiKey, ...settings }: ClientSettings) {
    for (const [name, value] of Object.entries({ apiId, apiKey }))
      if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${name} must be one or more visible ASCII characters`)
    assertAddress(baseUrl)
    // An answer that leads elsewhere must not take the key there.
    this.#api = createClient<paths>({
      baseUrl,
      headers: { 'x-api-id': apiId, 'x-api-key': apiKey },
      redirect: 'manual',
      bodySerializer: serializeBody,
    })
    this.#settings = {
      attempts: settings.attempts ?? 5,
      timeoutMs: settings.timeoutMs ?? 60_000,
      totalMs: settings.totalMs ?? 180_000,
      fetch: settings.fetch ?? globalThis.fetch,
      clock: settings.clock ?? SYSTEM_CLOCK,
    }
  }

  /** Creates employees: all of them, or none, unless `allOrNone` is false. */
  create(employees: api.EmployeeCreate[], options: Partly): Promise<Written<api.PartlyCreated>>
  create(
    employees: api.EmployeeCreate[],
    options: Wholly & { validateOnly: true },
  ): Promise<Written<api.CreatableEmployees>>
  create(
    employees: api.EmployeeCreate[],
    options?: Wholly & { validateOnly?: false | undefined },
  ): Promise<Written<api.CreatedEmployees>>
  create(
    body: api.EmployeeCreate[],
    options: BulkOptions = {},
  ): Promise<Written<api.CreatedEmployees | api.CreatableEmployees | api.PartlyCreated>> {
    const sent = this.#write(options, (params, init) => this.#api.POST('/v1/employees', { params, body, ...init }))
    return sent as Promise<Written<api.CreatedEmployees>>
  }

  /** Creates the employees that do not exist, and updates the others: all, or none, unless `allOrNone` is false. */
  upsert(employees: api.EmployeeUpsert[], options: UpsertOptions & Partly): Promise<Written<api.PartlyApplied>>
  upsert(employees: api.EmployeeUpsert[], options?: UpsertOptions & Wholly): Promise<Written<api.UpsertedEmployees>>
  upsert(
    body: api.EmployeeUpsert[],
    options: UpsertOptions = {},
  ): Promise<Written<api.UpsertedEmployees | api.PartlyApplied>> {
    return this.#write(options, (params, init) => this.#api.PUT('/v1/employees', { params, body, ...init }))
  }

  /** Updates one employee with a JSON Merge Patch. */
  update(id: string, body: api.EmployeePatch, options: UpdateOptions = {}): Promise<Written<api.UpdatedEmployee>> {
    const { ifVersion } = options
    const condition = ifVersion === undefined ? {} : { 'If-Match': `"${ifVersion}"` }
    return this.#write(options, ({ header, query }, init) => {
      const params = { path: { id }, header: { ...header, ...condition }, query }
      return this.#api.PATCH('/v1/employees/{id}', { params, body, ...init })
    })
  }

  /**
   * Updates several employees, each found by its `id`, else `external_id`, else `email`: all, or none, unless
   * `allOrNone` is false.
   */
  updateMany(employees: api.EmployeeBulkPatch[], options: Partly): Promise<Written<api.PartlyApplied>>
  updateMany(employees: api.EmployeeBulkPatch[], options?: Wholly): Promise<Written<api.UpdatedEmployees>>
  updateMany(
    body: api.EmployeeBulkPatch[],
    options: BulkOptions = {},
  ): Promise<Written<api.UpdatedEmployees | api.PartlyApplied>> {
    return this.#write(options, (params, init) => this.#api.PATCH('/v1/employees', { params, body, ...init }))
  }

  /** Creates any number of employees, in as many calls as needed, each of which is as `create`. */
  createAll(employees: Records<api.EmployeeCreate>, options: PartlyAll): Batches<Written<api.PartlyCreated>>
  createAll(employees: Records<api.EmployeeCreate>, options?: WhollyAll): Batches<Written<api.CreatedEmployees>>
  createAll(
    employees: Records<api.EmployeeCreate>,
    options: PartlyAll | WhollyAll = {},
  ): Batches<Written<api.CreatedEmployees>> | Batches<Written<api.PartlyCreated>> {
    if (options.allOrNone !== false)
      return inBatches('create', employees, options, (body, call) => this.create(body, call))
    return inBatches('create', employees, options, (body, call) => this.create(body, { ...call, allOrNone: false }))
  }

  /** Upserts any number of employees, in as many calls as needed, each of which is as `upsert`. */
  upsertAll(
    employees: Records<api.EmployeeUpsert>,
    options: PartlyAll & LinkingAll,
  ): Batches<Written<api.PartlyApplied>>
  upsertAll(
    employees: Records<api.EmployeeUpsert>,
    options?: WhollyAll & LinkingAll,
  ): Batches<Written<api.UpsertedEmployees>>
  upsertAll(
    employees: Records<api.EmployeeUpsert>,
    options: (PartlyAll | WhollyAll) & LinkingAll = {},
  ): Batches<Written<api.UpsertedEmployees>> | Batches<Written<api.PartlyApplied>> {
    const { allOrNone, linkByEmail, clearEndDates } = options
    const switches = { linkByEmail, clearEndDates }
    if (allOrNone !== false)
      return inBatches('upsert', employees, options, (body, call) => this.upsert(body, { ...call, ...switches }))
    const partly = { ...switches, allOrNone } as const
    return inBatches('upsert', employees, options, (body, call) => this.upsert(body, { ...call, ...partly }))
  }

  /** Updates any number of employees, in as many calls as needed, each of which is as `updateMany`. */
  updateAll(employees: Records<api.EmployeeBulkPatch>, options: PartlyAll): Batches<Written<api.PartlyApplied>>
  updateAll(employees: Records<api.EmployeeBulkPatch>, options?: WhollyAll): Batches<Written<api.UpdatedEmployees>>
  updateAll(
    employees: Records<api.EmployeeBulkPatch>,
    options: PartlyAll | WhollyAll = {},
  ): Batches<Written<api.UpdatedEmployees>> | Batches<Written<api.PartlyApplied>> {
    if (options.allOrNone !== false)
      return inBatches('update', employees, options, (body, call) => this.updateMany(body, call))
    return inBatches('update', employees, options, (body, call) => this.updateMany(body, { ...call, allOrNone: false }))
  }

  /** Reads one employee. The answer is always current. */
  get(id: string, options: CallOptions = {}): Promise<api.Employee> {
    return this.#read(options, (init) => this.#api.GET('/v1/employees/{id}', { params: { path: { id } }, ...init }))
  }

  /** Reads one page of the employees. */
  list(query: api.EmployeeQuery = {}, options: CallOptions = {}): Promise<api.EmployeeList> {
    return this.#read(options, (init) => this.#api.GET('/v1/employees', { params: { query }, ...init }))
  }

  /** Reads all employees that match, page by page as they are asked for. */
  async *employees(
    query: api.EmployeeQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<api.Employee, void, undefined> {
    let page = { limit: PAGE, ...query }
    for (;;) {
      const { items, next_cursor: cursor } = await this.list(page, options)
      yield* items
      if (cursor === null) return
      page = { ...page, cursor }
    }
  }

  /** Reads the company, the quota, and the use of the key. Costs no quota. */
  verifyKey(options: CallOptions = {}): Promise<api.KeyVerification> {
    return this.#read(options, (init) => this.#api.GET('/v1/auth/verify', { ...init }))
  }

  async #read<T>({ signal }: CallOptions, send: Sending<T>): Promise<T> {
    return (await sendWithRetries({ isWriting: false, signal, send }, this.#settings)).data
  }

  async #write<T extends object>(
    {
      idempotencyKey = randomUUID(),
      validateOnly = false,
      allOrNone = true,
      linkByEmail = false,
      clearEndDates = false,
      signal,
    }: UpsertOptions,
    send: (params: WriteParams, init: AttemptInit) => ReturnType<Sending<T>>,
  ): Promise<Written<T>> {
    const query = {
      ...(validateOnly ? { validate_only: true } : {}),
      ...(allOrNone ? {} : { all_or_none: false }),
      ...(linkByEmail ? { link_by_email: true } : {}),
      ...(clearEndDates ? { clear_end_dates: true } : {}),
    }
    const params = { header: { 'Idempotency-Key': idempotencyKey }, query }
    const call = { isWriting: !validateOnly, signal, send: (init: AttemptInit) => send(params, init) }
    const { data, response } = await sendWithRetries(call, this.#settings)
    const position = response.headers.get('x-ledger-position')
    return {
      ...data,
      position: position === null ? null : Number(position),
      replayed: response.headers.get('idempotency-replayed') === 'true',
    }
  }
}

/** Creates a client of the public API. */
export function createEmployeeClient(settings: ClientSettings): EmployeeClient {
  return new EmployeeClient(settings)
}
