import { isQuick } from './quick.ts'

const CHEAP = new URL('./cheap-hashes.ts', import.meta.url).href

/**
 * Options for programs that share users with a service of a test. In the gate, both hash passwords cheaply; in the nightly
 * groups, and where no service is started, hashes are made as they are asked for.
 */
export const HASHING: readonly string[] = isQuick ? ['--import', CHEAP] : []

if (isQuick) await import(CHEAP)
