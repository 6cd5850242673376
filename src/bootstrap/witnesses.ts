import type { Config } from '../config.ts'
import { publishCheckpoints, openWitnessConnections, type Witness } from '#delivery/witnesses/publish-checkpoints'
import { makePolicy, parseWitnessKey, type WitnessPolicy, type VerifierKey } from '#ledger/audit/signed-note'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import type { LedgerTables } from '#ledger/tables'
import { WITNESS_CONNECTIONS } from '#postgres/connections'
import { openDatabase } from '#postgres/kysely'
import { StartupError } from '#postgres/startup-error'
import type { PartOptions } from './running-part.ts'

/** A note with the cosignatures of all witnesses must fit into the external files. */
const MAX_WITNESSES = 16
const MAX_NAME_BYTES = 100

/** The configured witnesses and their quorum, none by default. Throws a StartupError if the settings don't fit together. */
export function readWitnesses(config: Config): WitnessPolicy & { submissions: Witness[] } {
  const [urls, keys] = [splitList(config.WITNESS_URLS), splitList(config.WITNESS_KEYS)]
  if (urls.length !== keys.length)
    throw new StartupError(
      `WITNESS_URLS has ${urls.length} addresses and WITNESS_KEYS ${keys.length} keys; each witness needs one of both`,
    )
  if (urls.length > MAX_WITNESSES) throw new StartupError(`WITNESS_URLS has more than ${MAX_WITNESSES} addresses`)
  const submissions = urls.map((url, at) => ({ url: readUrl(url), key: readKey(keys[at]!) }))
  const witnesses = submissions.map(({ key }) => key)
  try {
    return { submissions, ...makePolicy(witnesses, config.WITNESS_QUORUM ?? witnesses.length) }
  } catch (error) {
    throw new StartupError(`WITNESS_KEYS and WITNESS_QUORUM: ${(error as Error).message}`, { cause: error })
  }
}

function splitList(setting: string | undefined) {
  return (setting ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function readUrl(url: string) {
  const isAddress = URL.canParse(url) && /^https?:\/\/[^?#]+$/.test(url)
  if (!isAddress) throw new StartupError(`WITNESS_URLS: ${url} is not a URL that starts with http:// or https://`)
  return url.replace(/\/+$/, '')
}

function readKey(text: string): VerifierKey {
  const key = parseWitnessKey(text)
  if (!key)
    throw new StartupError(
      `WITNESS_KEYS: ${text} is not the verifier key of a witness (Ed25519, c2sp.org/tlog-cosignature)`,
    )
  if (Buffer.byteLength(key.name) > MAX_NAME_BYTES)
    throw new StartupError(`WITNESS_KEYS: the name ${key.name} is longer than ${MAX_NAME_BYTES} bytes`)
  return key
}

/** Opens what publishes checkpoints to the witnesses, on connections of its own. Without witnesses it needs none. */
export function openPublishing({ config, store, log }: PartOptions, signer: CheckpointSigner) {
  const { submissions: witnesses, ...policy } = readWitnesses(config)
  const hasWitnesses = witnesses.length > 0
  const pool = hasWitnesses
    ? store.open({ name: 'employee-ledger witnesses', max: WITNESS_CONNECTIONS, lockTimeoutMs: 1_000 })
    : store.pool
  const outgoing = openWitnessConnections({ allowPrivate: config.OUTGOING_PRIVATE === 1 })
  const services = { pool, db: openDatabase<LedgerTables>(pool), outgoing, policy, signer, witnesses, log }
  return {
    publish: (signal: AbortSignal) => publishCheckpoints(services, { signal }),
    async stop() {
      outgoing.close()
      if (hasWitnesses) await pool.end()
    },
  }
}
