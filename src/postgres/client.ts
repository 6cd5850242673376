import pg from 'pg'

/**
 * Creates a client for a connection that belongs to no pool. When a connection is lost, whoever waits for an answer gets
 * the error; a connection on which nobody waits is lost silently, where the error would otherwise end the process.
 */
export function createClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  return client
}
