import type { FastifyInstance } from 'fastify'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import type { CallProtocol } from '#domain/calls/call-protocol'
import type { CommandServices } from '#ledger/calls/run-api-call'
import type { FindEmployee, FindNamed } from '#ledger/read/read-employees'
import type { Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import type { ReadCredentials } from '../access/authenticate.ts'
import type { BodyBudget } from '../access/body-budget.ts'
import type { SessionSettings } from '../access/session.ts'
import type { Protocol } from '../server/protocols.ts'

/** A protocol in which API keys read and write employees. Its writing calls are built by `writingCall`. */
export interface KeyProtocol extends Protocol, CallProtocol {
  readCredentials: ReadCredentials
  /** The media types of the bodies that it accepts. All of them are JSON. */
  bodyTypes: readonly string[]
  /** Adds its routes. Each caller has presented the secret of a key by then. */
  addRoutes(app: FastifyInstance, services: KeyServices): Promise<void>
}

/** What the calls of API keys need. */
export interface KeyServices {
  commands: CommandServices
  /** Maximum body of a writing call, in bytes. */
  bodyLimit: number
  bodyBudget: BodyBudget
  findEmployee: FindEmployee
  findNamed: FindNamed
  sessions: SessionSettings
  keyUsage: KeyUsageCounter
  reads: Reads
  /** For watching the read model on connections that no long read takes. */
  access: LedgerDb
  /** How many companies are read, and fail, together. */
  companiesTogether?: number | undefined
  areReadModelsComplete(): Promise<boolean>
}
