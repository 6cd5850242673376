import { assertOwnSessions, SharedSessionsError, type DatabaseSetting } from '../../postgres/pooler.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const CHECK = 'pooler'
const SETTINGS: DatabaseSetting[] = ['DATABASE_URL', 'MIGRATE_DATABASE_URL']

/** Checks that no address leads to a pooler whose clients share sessions. Other checks report those without answer. */
export async function checkPoolers(urls: Partial<Record<DatabaseSetting, string>>): Promise<Finding> {
  for (const setting of SETTINGS) {
    try {
      const url = urls[setting]
      if (url !== undefined) await assertOwnSessions(url, setting)
    } catch (error) {
      if (error instanceof SharedSessionsError) return fail(CHECK, error.found, error.advice)
      return warn(CHECK, `not checked: ${setting} does not answer`, 'see the other checks, then run doctor again')
    }
  }
  return ok(CHECK, 'connections have sessions of their own')
}
