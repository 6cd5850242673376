/** The coordinator of the Citus cluster on which the tests run, as a superuser; unset where they run on PostgreSQL. */
export const CITUS_URL = process.env['CITUS_URL']
