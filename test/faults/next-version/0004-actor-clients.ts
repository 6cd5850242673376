export { up } from '../../../migrations/0004-actor-clients.ts'
