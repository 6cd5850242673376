import pg from 'pg'
import t from 'tap'
import { loggedError } from '../../src/bootstrap/log.ts'

/** As pg-boss reports errors. */
const copyOf = (error: Error) => Object.assign({}, error, { message: error.message, stack: error.stack, queue: 'q' })

const connection = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
const statement = Object.assign(new pg.DatabaseError('duplicate key (ana@example.com)', 40, 'error'), {
  severity: 'ERROR',
  code: '23505',
  detail: 'Key (email)=(ana@example.com) already exists.',
  table: 'employees',
})

await t.test('the log says why a connection failed, also if the queue reports it', (t) => {
  for (const error of [connection, copyOf(connection)])
    t.match(loggedError(error), { type: 'Error', message: connection.message, code: 'ECONNREFUSED', stack: String })
  t.end()
})

await t.test('the log says where a statement failed, without values of rows', (t) => {
  for (const error of [statement, copyOf(statement), new Error('failed', { cause: copyOf(statement) })]) {
    const logged = loggedError(error)
    t.match(logged.cause ?? logged, { type: 'DatabaseError', code: '23505', severity: 'ERROR', table: 'employees' })
    t.notMatch(JSON.stringify(logged), 'ana@')
  }
  t.end()
})

await t.test('what is no error is logged by its type alone', (t) => {
  for (const thrown of ['ana@example.com', undefined, null, { email: 'ana@example.com' }])
    t.strictSame(loggedError(thrown), { type: typeof thrown })
  t.end()
})
