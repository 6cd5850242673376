import { openQueues } from '../../src/workers/queues.ts'

/** Sends a job to the workers, as its schedule does. */
export async function sendJob(serviceUrl: string, queue: string): Promise<void> {
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: () => undefined })
  try {
    await boss.send(queue, {})
  } finally {
    await boss.stop({ graceful: false })
  }
}
