export { up } from '../../../migrations/0007-alerts.ts'
