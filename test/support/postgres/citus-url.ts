/** The coordinator of the Citus cluster on which the tests run, as a superuser; unset where they run on PostgreSQL. */
export const CITUS_URL = process.env['CITUS_URL']

/** A slow machine of a cluster is no reason for a test to fail. */
export const PATIENT: Record<string, string> = CITUS_URL === undefined ? {} : { MACHINE_ANSWER_MS: '8000' }
