import { parentPort } from 'node:worker_threads'
import { packClient } from './pack-client.ts'

/* Runs in a thread, because leaving out the types takes longer than a request may hold the event loop. */

parentPort!.postMessage(packClient(), [])
