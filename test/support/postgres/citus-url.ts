/** The coordinator of the Citus cluster on which the tests run, as a superuser; unset where they run on PostgreSQL. */
export const CITUS_URL = process.env['CITUS_URL']

/** The options of tests of calls of several companies in one transaction. */
export const SHARING = CITUS_URL === undefined ? {} : { skip: 'on Citus, companies do not share transactions' }
